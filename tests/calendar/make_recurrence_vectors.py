#!/usr/bin/python3
"""Writes recurrence-vectors.txt: rules and their occurrences by python3-dateutil, an implementation that is not ours.

A line: rule, DTSTART, from, to (exclusive), then the occurrences in that range, all separated by one blank. The rules are the examples of
RFC 5545, 3.8.5.3, and random ones (the same each time). Left out is what the RFC leaves open and both read differently: BYSETPOS in a
first week that DTSTART cuts, and BYWEEKNO without BYDAY.
"""
import random
from datetime import datetime, timedelta
from pathlib import Path

from dateutil.rrule import rrulestr

EXAMPLES = """
FREQ=DAILY;COUNT=10
FREQ=DAILY;UNTIL=19971224T000000
FREQ=DAILY;INTERVAL=2
FREQ=DAILY;INTERVAL=10;COUNT=5
FREQ=YEARLY;UNTIL=20000131T140000;BYMONTH=1;BYDAY=SU,MO,TU,WE,TH,FR,SA
FREQ=WEEKLY;INTERVAL=2;WKST=SU
FREQ=WEEKLY;UNTIL=19971007T000000;WKST=SU;BYDAY=TU,TH
FREQ=WEEKLY;INTERVAL=2;COUNT=4;BYDAY=TU,SU;WKST=MO
FREQ=WEEKLY;INTERVAL=2;COUNT=4;BYDAY=TU,SU;WKST=SU
FREQ=MONTHLY;COUNT=10;BYDAY=1FR
FREQ=MONTHLY;INTERVAL=2;COUNT=10;BYDAY=1SU,-1SU
FREQ=MONTHLY;COUNT=6;BYDAY=-2MO
FREQ=MONTHLY;BYMONTHDAY=-3
FREQ=MONTHLY;COUNT=10;BYMONTHDAY=1,-1
FREQ=MONTHLY;INTERVAL=18;COUNT=10;BYMONTHDAY=10,11,12,13,14,15
FREQ=MONTHLY;INTERVAL=2;BYDAY=TU
FREQ=YEARLY;COUNT=10;BYMONTH=6,7
FREQ=YEARLY;INTERVAL=2;COUNT=10;BYMONTH=1,2,3
FREQ=YEARLY;INTERVAL=3;COUNT=10;BYYEARDAY=1,100,200
FREQ=YEARLY;BYDAY=20MO
FREQ=YEARLY;BYWEEKNO=20;BYDAY=MO
FREQ=YEARLY;BYWEEKNO=53;BYDAY=MO
FREQ=YEARLY;BYWEEKNO=1,-1;BYDAY=TU,SU
FREQ=YEARLY;BYMONTH=3;BYDAY=TH
FREQ=YEARLY;BYDAY=TH;BYMONTH=6,7,8
FREQ=MONTHLY;BYDAY=FR;BYMONTHDAY=13
FREQ=MONTHLY;BYDAY=SA;BYMONTHDAY=7,8,9,10,11,12,13
FREQ=YEARLY;INTERVAL=4;BYMONTH=11;BYDAY=TU;BYMONTHDAY=2,3,4,5,6,7,8
FREQ=MONTHLY;COUNT=3;BYDAY=TU,WE,TH;BYSETPOS=3
FREQ=MONTHLY;BYDAY=MO,TU,WE,TH,FR;BYSETPOS=-2
FREQ=HOURLY;INTERVAL=3;UNTIL=19970902T170000
FREQ=MINUTELY;INTERVAL=15;COUNT=6
FREQ=MINUTELY;INTERVAL=90;COUNT=4
FREQ=DAILY;BYHOUR=9,10,11,12,13,14,15,16;BYMINUTE=0,20,40
FREQ=MINUTELY;INTERVAL=20;BYHOUR=9,10,11,12,13,14,15,16
FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=29
FREQ=YEARLY;BYYEARDAY=366
FREQ=YEARLY;BYYEARDAY=-1
FREQ=DAILY;BYHOUR=9,10;BYSETPOS=1
FREQ=HOURLY;BYMINUTE=0,30;BYSETPOS=-1;BYDAY=MO
FREQ=HOURLY;INTERVAL=5
FREQ=HOURLY;INTERVAL=5;BYHOUR=9,12
FREQ=SECONDLY;INTERVAL=7200;BYHOUR=9,13
FREQ=MONTHLY;BYMONTHDAY=31
""".split()
WEEKDAYS = ["MO", "TU", "WE", "TH", "FR", "SA", "SU"]


def some(chosen, values, most):
    return ",".join(str(v) for v in sorted(chosen.sample(values, chosen.randint(1, most))))


def random_rule(chosen):
    frequency = chosen.choice(["HOURLY", "DAILY", "WEEKLY", "WEEKLY", "MONTHLY", "MONTHLY", "YEARLY", "YEARLY"])
    parts = [f"FREQ={frequency}"]
    if chosen.random() < 0.5:
        parts.append(f"INTERVAL={chosen.randint(2, 7)}")
    if chosen.random() < 0.3:
        parts.append(f"COUNT={chosen.randint(1, 60)}")
    if chosen.random() < 0.4:
        parts.append("BYMONTH=" + some(chosen, range(1, 13), 4))
    if frequency in ("MONTHLY", "YEARLY", "DAILY") and chosen.random() < 0.4:
        parts.append("BYMONTHDAY=" + some(chosen, [n for n in range(-31, 32) if n], 4))
    if frequency == "YEARLY" and chosen.random() < 0.2:
        parts.append("BYYEARDAY=" + some(chosen, [n for n in range(-366, 367) if n], 9))
    week_number = frequency == "YEARLY" and not any(p.startswith(("BYMONTHDAY", "BYYEARDAY")) for p in parts) and chosen.random() < 0.3
    if week_number:
        parts.append("BYWEEKNO=" + some(chosen, [n for n in range(-53, 54) if n], 5))
    if week_number or chosen.random() < 0.5:
        ordinals = frequency in ("MONTHLY", "YEARLY") and not week_number and chosen.random() < 0.5
        days = chosen.sample(WEEKDAYS, chosen.randint(1, 4))
        parts.append("BYDAY=" + ",".join((str(chosen.choice([-2, -1, 1, 2, 3, 4, 5])) if ordinals else "") + d for d in days))
    if chosen.random() < 0.3:
        parts.append("WKST=" + chosen.choice(WEEKDAYS))
    if chosen.random() < 0.2 and frequency != "HOURLY":
        parts.append("BYHOUR=" + some(chosen, range(24), 3))
    if chosen.random() < 0.2:
        parts.append("BYMINUTE=" + some(chosen, range(60), 2))
    if frequency not in ("WEEKLY", "HOURLY") and len(parts) > 2 and chosen.random() < 0.3:
        parts.append("BYSETPOS=" + some(chosen, [-3, -2, -1, 1, 2, 3], 2))
    return ";".join(parts)


def form(time):
    return f"{time.year:04}{time:%m%dT%H%M%S}"


def vector(rule, start, begin, end):
    times = []
    for time in rrulestr(rule, dtstart=start).xafter(begin, inc=True):
        if time >= end or len(times) == 25:
            break
        times.append(time)
    if len(times) == 25:
        end = times.pop()
    return " ".join([rule, form(start), form(begin), form(end), *map(form, times)])


def main():
    chosen = random.Random(5545)
    lines = [vector(rule, datetime(1997, 9, 2, 9), datetime(1997, 1, 1), datetime(2012, 1, 1)) for rule in EXAMPLES]
    while len(lines) < 400:
        start = datetime(chosen.randint(1999, 2027), chosen.randint(1, 12), chosen.randint(1, 28), chosen.randint(0, 23), chosen.choice([0, 15, 30]))
        begin = start + timedelta(days=chosen.choice([-10, 0, 45, 400, 2000]), hours=chosen.randint(0, 30))
        lines.append(vector(random_rule(chosen), start, begin, begin + timedelta(days=chosen.choice([40, 400, 3000]))))
    Path(__file__).with_name("recurrence-vectors.txt").write_text("\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
