"""A small GitHub in memory: answers to the operations of `specs/github` in the shapes of GitHub's own description.

It does what the charter relies on: comments come back raw, a second reference of one name is 422, a merge at another
head is 409 and a second merge 405, lists are paged by `Link`, a run that is under way cannot be started again.
"""

from upstreams.github.server import TOKEN, GitHubServer

__all__ = ["TOKEN", "GitHubServer"]
