"""Results that are kept: a database, the values of all states of a game; a certificate, a proof in one file."""

from searchbench.store.certificate import Certificate, is_certificate, is_named_certificate, open_certificate, open_kept
from searchbench.store.database import Choice, Database
from searchbench.store.keep import Keep
from searchbench.store.opening import Lost, open_database, open_salvaged

__all__ = [
    "Certificate",
    "Choice",
    "Database",
    "Keep",
    "Lost",
    "is_certificate",
    "is_named_certificate",
    "open_certificate",
    "open_database",
    "open_kept",
    "open_salvaged",
]
