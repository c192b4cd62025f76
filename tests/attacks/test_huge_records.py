"""What a record may cost its reader: memory in proportion to the file, however much its lines would take up at once."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from engine.record.audit import LARGEST_RECORD, MOST_FAULTS, audit, secret_in
from tests.attacks.huge_records import MIB, heavy, poste

MOST_MEMORY = 300_000_000
"""What a reader may take of a file of up to an eighth of this; of a larger one eight times the file."""


@pytest.mark.parametrize("verb", ["audit", "replay"])
@pytest.mark.parametrize("signed", [True, False], ids=["one fault", "nothing but faults"])
def test_a_huge_record_is_read_line_by_line(verb: str, signed: bool, tmp_path: Path) -> None:
    record = tmp_path / "huge.poste"
    record.write_bytes(heavy(20 * MIB, signed=signed))
    _, said, peak = poste(verb, record)
    assert ("[move/invalid]" if signed else "[signature/forged]") in said
    assert peak < max(MOST_MEMORY, 8 * record.stat().st_size)


def test_several_records_are_read_one_after_the_other(tmp_path: Path) -> None:
    """Each may be as long as a record can be; here it is one that ends at once."""
    record = tmp_path / "long.poste"
    record.write_bytes(b"{}\n" * (LARGEST_RECORD // 3))
    code, said, peak = poste("audit", *[record] * 8)
    assert (code, said.count("NOT valid"), said.count("stopped at 100 faults")) == (4, 8, 8)
    assert peak < MOST_MEMORY


@pytest.mark.parametrize("line", [b"{}", b"", None], ids=["no entries", "blank lines", "unsigned moves"])
def test_an_audit_stops_at_so_many_faults_of_any_kind(line: bytes | None) -> None:
    data = heavy(5 * MIB, signed=False) if line is None else (line + b"\n") * 100_000
    found = audit(data)
    assert len(found.faults) == MOST_FAULTS
    assert found.entries <= MOST_FAULTS + 4
    assert not any(fault.code == "record/unfinished" for fault in found.faults)


def test_the_secret_is_found_in_time_in_proportion_to_the_file() -> None:
    """Lines that look as if they were the close are many, and one of them is very long."""
    looks = b'"kind":"close"'
    assert secret_in(looks * (LARGEST_RECORD // len(looks)) + b"\n" + heavy(0)) is not None
    began = time.process_time()
    secret_in(looks * (LARGEST_RECORD // len(looks)))
    assert time.process_time() - began < 5
