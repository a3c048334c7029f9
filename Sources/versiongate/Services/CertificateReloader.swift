import GateControl
import GatePolicy
import GateProxy
import Logging

/// Reads certificates again while clients connect, and keeps the last good ones when new ones are
/// broken.
actor CertificateReloader {
    private let files: TLSFiles
    private let logger: Logger
    private let publish: @Sendable (ServerTLS) async -> Void

    /// `publish`: puts certificates in force for the connections that follow.
    init(
        files: TLSFiles,
        logger: Logger,
        publish: @escaping @Sendable (ServerTLS) async -> Void
    ) {
        self.files = files
        self.logger = logger
        self.publish = publish
    }

    /// What the files look like now; another value means that they may have changed.
    nonisolated var state: [FileState] {
        self.files.paths.map(FileState.init)
    }

    /// Warns of a certificate that has expired, or soon will.
    static func remark(on tls: ServerTLS, _ logger: Logger) {
        let now = Int(SystemClock.now().secondsSinceEpoch)
        if let remark = tls.remark(at: now) { logger.warning("\(remark)") }
    }

    func reload() async {
        do throws(TLSFileError) {
            let tls = try ServerTLS(self.files)
            await self.publish(tls)
            self.logger.info(
                "certificates loaded",
                metadata: ["pairs": .stringConvertible(self.files.others.count + 1)]
            )
            Self.remark(on: tls, logger)
        } catch {
            self.logger.error(
                "certificates not loaded; keeping the earlier ones",
                metadata: ["file": "\(error.file)", "reason": "\(error.reason)"]
            )
        }
    }
}
