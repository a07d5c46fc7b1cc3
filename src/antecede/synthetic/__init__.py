"""A CLEF-IP-shaped collection of patents that nobody wrote: for tests, demonstrations and scale."""

from antecede.synthetic.collection import Synthesis, synthesize

__all__ = ["Synthesis", "synthesize"]
