#!/usr/bin/env python3
"""Make timezones.csv from the IANA time zone database: the principal place of every zone, as lon,lat,name,country.

zone.tab is in the public domain and on every Debian machine (package tzdata). It gives positions as ISO 6709
degrees and minutes, or degrees, minutes and seconds; they are turned into degrees with five decimals (about a meter).

    python3 make_tz_seeds.py [zone.tab] > timezones.csv
"""

import re
import sys


def degrees(text, width):
    """'+4230' or '-0743456' (sign, `width` digits of degrees, minutes, perhaps seconds) as a number."""
    digits = text[1:]
    value = (
        int(digits[:width])
        + int(digits[width : width + 2]) / 60
        + int(digits[width + 2 :] or 0) / 3600
    )
    return -value if text[0] == "-" else value


def main():
    source = sys.argv[1] if len(sys.argv) > 1 else "/usr/share/zoneinfo/zone.tab"
    print("lon,lat,name,country")
    with open(source, encoding="utf-8") as lines:
        for line in lines:
            if line.startswith("#") or not line.strip():
                continue
            country, position, zone = line.rstrip("\n").split("\t")[:3]
            latitude, longitude = re.fullmatch(r"([+-]\d+)([+-]\d+)", position).groups()
            print(f"{degrees(longitude, 3):.5f},{degrees(latitude, 2):.5f},{zone},{country}")


if __name__ == "__main__":
    main()
