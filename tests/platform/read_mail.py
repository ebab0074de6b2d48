#!/usr/bin/python3
"""Reads a mail from standard input like a mail program, and prints headers and the tree of parts, one line each."""

import email
import email.header
import email.policy
import hashlib
import sys

text = sys.stdin.buffer.read()
message = email.message_from_bytes(text, policy=email.policy.default)
# By the older reader: the newer one keeps the blank between two encoded words of a name, which is none of it (RFC 2047, 6.2).
older = email.message_from_bytes(text)
for name in ("From", "To"):
    print(f"{name}: {email.header.make_header(email.header.decode_header(older[name].replace(chr(13), '').replace(chr(10), '')))}")
for name in ("Reply-To", "Subject", "Message-ID", "In-Reply-To", "References", "Auto-Submitted", "List-Unsubscribe", "List-Unsubscribe-Post", "List-Id", "Bcc"):
    for value in message.get_all(name, []):
        print(f"{name}: {value}")


def show(part, depth):
    line = "  " * depth + part.get_content_type()
    for parameter in ("charset", "method", "type"):
        if part.get_param(parameter):
            line += f" {parameter}={part.get_param(parameter)}"
    if part.get_content_disposition():
        line += f" {part.get_content_disposition()}"
    if part.get_filename():
        line += f" name={part.get_filename()}"
    if part["Content-ID"]:
        line += f" id={part['Content-ID']}"
    if part.is_multipart():
        print(line)
        for child in part.iter_parts():
            show(child, depth + 1)
        return
    content = part.get_payload(decode=True)
    short = len(content) <= 60
    print(f"{line}: {content.decode() if short else f'{len(content)} bytes, SHA-256 {hashlib.sha256(content).hexdigest()}'}")


show(message, 0)
for part in message.walk():
    for defect in part.defects:
        print(f"defect: {type(defect).__name__}")
