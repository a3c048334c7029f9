import GatePolicy
import GateProxy
import GateSystem
import Glibc
import Logging
import ServiceLifecycle

/// Reloads certificates while the gate runs, and keeps the previous certificates if the new
/// certificates are invalid.
actor CertificateReloader {
    private let files: TLSFiles
    private let logger: Logger
    private let publish: @Sendable (ServerTLS) async -> Void

    /// Creates a reloader.
    ///
    /// `publish` applies certificates to new connections.
    init(
        files: TLSFiles,
        logger: Logger,
        publish: @escaping @Sendable (ServerTLS) async -> Void
    ) {
        self.files = files
        self.logger = logger
        self.publish = publish
    }

    /// The current state of the files; a different value means that the files may have changed.
    nonisolated var state: [FileState] {
        self.files.paths.map(FileState.init)
    }

    /// Logs a warning if a certificate has expired or expires soon.
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
                "certificates not loaded; keeping the previous ones",
                metadata: ["file": "\(error.file)", "reason": "\(error.reason)"]
            )
        }
    }
}

/// File metadata that changes with the content of a file, so that changes are detected without
/// reading the file.
///
/// Symbolic links are followed, so that the folder swap of a Kubernetes volume is also detected.
struct FileState: Equatable {
    private var device: UInt64 = 0
    private var inode: UInt64 = 0
    private var size: Int64 = 0
    private var seconds = 0
    private var nanoseconds = 0

    /// Creates the state of a file; all values are zero if the file does not exist.
    init(_ path: String) {
        var status = stat()
        guard unsafe stat(path, &status) == 0 else { return }
        self.device = UInt64(status.st_dev)
        self.inode = UInt64(status.st_ino)
        self.size = Int64(status.st_size)
        self.seconds = status.st_mtim.tv_sec
        self.nanoseconds = status.st_mtim.tv_nsec
    }
}

/// Reloads the certificates when their files change.
///
/// The files are polled once a second. Polling works on every file system, and is fast enough for
/// certificates, which are renewed every few weeks.
struct CertificateService: Service {
    let reloader: CertificateReloader
    /// The state of the files just before they were first read.
    let loadedState: [FileState]

    private static let interval = Duration.seconds(1)

    func run() async throws {
        try? await cancelWhenGracefulShutdown {
            var loaded = self.loadedState
            var last = loaded
            while true {
                try await Task.sleep(for: Self.interval)
                let state = self.reloader.state
                // The certificate and the key are written one after the other, so the service waits
                // until the files stop changing.
                if state == last, state != loaded {
                    loaded = state
                    await self.reloader.reload()
                }
                last = state
            }
        }
    }
}
