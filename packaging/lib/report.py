"""Prints what packaging/quickstart has started: report.py DEMO_JSON yes|no PORTICOCTL STATE."""

import json
import os
import subprocess
import sys


def table(rows):
    widths = [max(len(row[i]) for row in rows) for i in range(len(rows[0]))]
    for row in rows:
        print("  ".join(cell.ljust(width) for cell, width in zip(row, widths)).rstrip())


def main():
    path, demo, porticoctl, state = sys.argv[1:5]
    with open(path, encoding="utf-8") as file:
        content = json.load(file)
    relative = os.path.relpath(porticoctl)
    ctl = f"{relative if not relative.startswith('..') else porticoctl} --socket {os.path.relpath(state)}/control.sock"
    answer = subprocess.run([porticoctl, "--socket", f"{state}/control.sock", "--json", "services"], capture_output=True, text=True, check=True)
    services = json.loads(answer.stdout)["services"]

    owner = content["organizations"][0]["users"][0] if content.get("organizations") else None
    rows = [("SERVICE", "STATUS", "ORIGIN", "PORT", "SIGN-IN")]
    for service in services:
        name = service["service"]
        sign_in = f"{owner['email']}  {owner['password']}" if owner and name != "identity" else ""
        if name == "identity" and content.get("operator"):
            sign_in = f"{content['operator']['email']}  {content['operator']['password']}"
        rows.append((name, service["status"], content["origins"].get(name, service.get("origin", "")), str(content["ports"].get(name, "")), sign_in))
    print()
    print(f"Open {content['frontDoor']}")
    if owner:
        print(f"Sign in as {owner['email']} with the password {owner['password']}")
    print()
    table(rows)
    print()
    print(f"Sandbox network, which shows what the demo brands publish: http://127.0.0.1:{content['ports']['identity'] + 6}")
    print(f"Payment simulation, which charges nothing: http://127.0.0.1:{content['ports']['identity'] + 5}")
    print()
    if demo == "no":
        print("To begin, make the first operator, and sign in with the password that it shows once:")
        print(f"  {ctl} user create --email you@example.org --operator")
        return
    origin = content["origins"]["crm"]
    print("Try:")
    print(f"  {ctl} status")
    print(f"  curl -s {origin}/api/contacts?limit=3 -H 'X-Api-Key: {content['organizations'][0]['apiKeys'][0]['key']}'")
    print(f"  TOKEN=$(curl -s {origin}/api/auth/login -H 'Content-Type: application/json' \\")
    print(f"    -d '{{\"identifier\":\"{owner['email']}\",\"password\":\"{owner['password']}\",\"service_id\":\"crm\"}}' | sed 's/.*\"access_token\":\"\\([^\"]*\\)\".*/\\1/')")
    print(f"  curl -s {origin}/api/contacts -H \"Authorization: Bearer $TOKEN\" -H 'Content-Type: application/json' -d '{{\"firstName\":\"Mary\",\"lastName\":\"Shelley\"}}'")
    if "calendar" in content:
        print(f"  curl -s {content['origins']['calendar']}/api/public/{content['calendar']['handle']}")
    if "payments" in content:
        print(f"  curl -s {content['payments']['origin']}/v1/customers -u {content['payments']['secretKey']}:   # the payment stand-in: no money moves")
    print(f"All accounts and keys: {os.path.relpath(path)}")


if __name__ == "__main__":
    main()
