import ArgumentParser

/// The flags about what the gates of a fleet share.
struct FleetFlags: ParsableArguments {
    @Option(help: "File with the key for device ids, 32 hexadecimal digits (default: its own).")
    var censusKeyFile: String?
    @Option(
        help: """
            Redis or Valkey that merges the devices of all gates, redis://HOST, or rediss://HOST for TLS \
            (default: none).
            """
    )
    var censusStore: String?
    @Option(help: "File with its password.")
    var censusStorePasswordFile: String?
    @Option(help: "PEM file: who may vouch for it, besides those whom the system trusts.")
    var censusStoreCa: String?
    @Option(help: "PEM file: the certificate that it is shown, if it wants to see one.")
    var censusStoreCertificate: String?
    @Option(help: "PEM file: the key of that certificate.")
    var censusStoreKey: String?
}
