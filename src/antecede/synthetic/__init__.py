"""A synthetic patent collection in the shape of CLEF-IP, for tests, demonstrations and measurements at scale.

The modules build on each other: `lexicon` reads the word lists and sentence templates in vocabulary/, `plan` decides
what each patent is about and which patents it cites, `text` fills templates with the words of an applicant, and
`collection` writes it all as MAREC XML or JSON lines, with topics and qrels.
"""

from antecede.synthetic.collection import Synthesis, synthesize

__all__ = ["Synthesis", "synthesize"]
