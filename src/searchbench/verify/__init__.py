"""Check results by forward search with the rules only, without any code of the solvers."""

from searchbench.verify.certificate import CertificatePlayer, CertificateReport, verify_certificate
from searchbench.verify.claim import ClaimReport, check_claim
from searchbench.verify.database import verify_database
from searchbench.verify.line import verify_line
from searchbench.verify.proof import verify_proof
from searchbench.verify.report import Fault, Report

__all__ = [
    "CertificatePlayer",
    "CertificateReport",
    "ClaimReport",
    "Fault",
    "Report",
    "check_claim",
    "verify_certificate",
    "verify_database",
    "verify_line",
    "verify_proof",
]
