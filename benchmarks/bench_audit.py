"""What a record costs its auditor: memory and time for one as large as can be, made to take up as much as it can."""

from __future__ import annotations

import subprocess
import sys
import tempfile
from pathlib import Path

from benchmarks.bench_engine import line
from tests.attacks.huge_records import MIB, heavy

MEASURED = """
import sys, time
from pathlib import Path
from engine.record.audit import audit
data = Path(sys.argv[1]).read_bytes()
before = time.process_time()
faults = len(audit(data).faults)
with open("/proc/self/status") as status:
    (peak,) = (line for line in status if line.startswith("VmHWM"))
print(time.process_time() - before, int(peak.split()[1]) * 1024, faults)
"""


def report() -> None:
    """Print what the largest records cost."""
    size = 62 * MIB
    print("audit of the largest records")
    with tempfile.TemporaryDirectory() as folder:
        record = Path(folder) / "huge.poste"
        for what, data in (
            ("one fault, and lists of lists", heavy(size)),
            ("nothing but faults", heavy(size, signed=False)),
            ("no entries at all", b"{}\n" * (size // 3)),
        ):
            record.write_bytes(data)
            seconds, peak, faults = _measured(record)
            note = f"{seconds:.1f} s, {faults} faults"
            line(f"{what}: peak memory / {len(data) >> 20} MiB of file", peak / len(data), "<= 8", note)


def _measured(record: Path) -> tuple[float, int, int]:
    command = [sys.executable, "-c", MEASURED, str(record)]
    seconds, peak, faults = subprocess.run(command, capture_output=True, check=True, text=True).stdout.split()
    return float(seconds), int(peak), int(faults)
