"""Runs and qrels: files and frames in, checked and ranked; and out again."""

from antecede.trec.qrels import Qrels, read_qrels, write_qrels
from antecede.trec.reader import Policies
from antecede.trec.runs import Run, fuse, read_run, write_run

__all__ = ["Policies", "Qrels", "Run", "fuse", "read_qrels", "read_run", "write_qrels", "write_run"]
