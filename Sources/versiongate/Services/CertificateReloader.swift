import GatePolicy
import GateProxy
import GateSystem
import Glibc
import Logging
import ServiceLifecycle

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

    /// The present state of the files; another value means that they may have changed.
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

/// The facts that tell one content of a file from another without reading it.
///
/// Links are followed, so that the swap of a folder that Kubernetes makes is seen as well.
struct FileState: Equatable {
    private let device: UInt64
    private let inode: UInt64
    private let size: Int64
    private let seconds: Int
    private let nanoseconds: Int

    /// All zero if there is no such file.
    init(_ path: String) {
        var status = stat()
        guard unsafe stat(path, &status) == 0 else {
            (self.device, self.inode, self.size, self.seconds, self.nanoseconds) = (0, 0, 0, 0, 0)
            return
        }
        self.device = UInt64(status.st_dev)
        self.inode = UInt64(status.st_ino)
        self.size = Int64(status.st_size)
        self.seconds = status.st_mtim.tv_sec
        self.nanoseconds = status.st_mtim.tv_nsec
    }
}

/// Reads the certificates again when their files have changed.
///
/// They are looked at once a second: a certificate is renewed every few weeks, and this way works
/// on every file system.
struct CertificateService: Service {
    let reloader: CertificateReloader
    /// The state of the files just before they were read for the first time.
    let loadedState: [FileState]

    private static let interval = Duration.seconds(1)

    func run() async throws {
        try? await cancelWhenGracefulShutdown {
            var loaded = self.loadedState
            var last = loaded
            while true {
                try await Task.sleep(for: Self.interval)
                let state = self.reloader.state
                // Certificate and key are written one after the other: both must have come to rest.
                if state == last, state != loaded {
                    loaded = state
                    await self.reloader.reload()
                }
                last = state
            }
        }
    }
}
