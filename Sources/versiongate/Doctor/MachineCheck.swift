import FoundationEssentials
import GatePolicy
import GateProxy
import GateRecords
import GateSystem
import Glibc
import Logging
import NIOCore
import NIOPosix

/// Checks the machine of the gate: addresses, descriptors, clock, certificates and files.
struct MachineCheck {
    let settings: ServeSettings

    /// Checks whether the listeners' addresses are free.
    func ports() async -> [Diagnosis] {
        let gate = self.settings.gate
        let listeners: [(name: String, endpoint: Endpoint?)] = [
            ("listen", gate.listen), ("tls-listen", gate.tlsListen),
            ("decide-listen", gate.decideListen), ("admin-listen", self.settings.adminListen),
        ]
        var results: [Diagnosis] = []
        for case (let name, let endpoint?) in listeners {
            results.append(await Self.port(name, endpoint))
        }
        return results
    }

    private static func port(_ name: String, _ endpoint: Endpoint) async -> Diagnosis {
        do {
            let channel = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
                .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
                .bind(host: endpoint.host, port: endpoint.port)
                .get()
            try await channel.close()
            return .ok(name, "\(endpoint) is free")
        } catch {
            let problem = BindProblem(endpoint, error).description
            guard (error as? IOError)?.errnoCode == EADDRINUSE else {
                return .error(name, "\(endpoint): \(problem)")
            }
            // The running gate itself may be using the address, which is not a problem.
            return .warning(name, "\(endpoint): unless this gate is running, \(problem)")
        }
    }

    func descriptors() -> Diagnosis {
        let limit = DescriptorLimit.raised()
        let gate = self.settings.gate
        let hasAdminListener = self.settings.adminListen != nil
        let needed = limit.demand(of: gate, hasAdminListener: hasAdminListener).needed
        guard let limit = limit.count, limit < needed else {
            return .ok("descriptors", "enough for --max-connections \(gate.maxConnections)")
        }
        return .warning(
            "descriptors",
            "the limit is \(limit), and --max-connections \(gate.maxConnections) needs \(needed)",
            fix: "raise the limit (LimitNOFILE in the systemd unit, ulimit -n), or lower "
                + "--max-connections"
        )
    }

    /// Checks whether the kernel considers the clock synchronized.
    func clock() -> Diagnosis {
        guard !SystemClock.isSynchronized else { return .ok("clock", "synchronized") }
        return .warning(
            "clock",
            "the kernel reports an unsynchronized clock (\(SystemClock.now())); scheduled rules, "
                + "passes and certificates depend on the clock",
            fix:
                "run chrony or systemd-timesyncd; in a container or virtual machine, check the host"
        )
    }

    /// Checks the server certificates; returns no results without TLS.
    func certificates() -> [Diagnosis] {
        guard let files = self.settings.gate.tls else { return [] }
        do throws(TLSFileError) {
            let tls = try ServerTLS(files)
            let now = Int(SystemClock.now().secondsSinceEpoch)
            if let remark = tls.remark(at: now) {
                return [
                    tls.expiry <= now
                        ? .error("certificates", remark) : .warning("certificates", remark)
                ]
            }
            let left = (tls.expiry - now) / 86_400
            return [.ok("certificates", "the next expiry is in \(left) days")]
        } catch {
            return [.error("certificates", "\(error.file): \(error.reason)")]
        }
    }

    /// The maximum disk space, in bytes, that the census can use.
    private static let neededBytes = UInt64(CensusStore.diskLimit)

    /// Checks the file of published rules for the Envoy module, without writing to the file.
    func publishedRules() -> [Diagnosis] {
        guard let path = self.settings.publishRules else { return [] }
        do throws(SettingsError) {
            let logger = Logger(label: "doctor") { _ in SwiftLogNoOpLogHandler() }
            _ = try self.settings.publisher(logger: logger)
            return [.ok("publish-rules", "\(path) can be replaced")]
        } catch {
            return [.error("publish-rules", "\(error)")]
        }
    }

    /// Checks the state folder, without creating it.
    func stateFolder() -> [Diagnosis] {
        guard let path = self.settings.stateDir else {
            let problem = "not set: after a restart, the census and the last good rules are lost"
            let fix = "set --state-dir to a directory that only this gate writes to"
            return [.warning("state-dir", problem, fix: fix)]
        }
        var place = URL(filePath: path)
        while unsafe access(place.path, F_OK) != 0, place.path != "/" {
            place.deleteLastPathComponent()
        }
        let existing = place.path
        guard unsafe access(existing, W_OK | X_OK) == 0 else {
            let reason = unsafe String(cString: strerror(errno))
            let fix = "give the gate's user write access: chown USER \(existing)"
            return [.error("state-dir", "\(existing): \(reason)", fix: fix)]
        }
        let isNew = unsafe access(path, F_OK) != 0
        var results: [Diagnosis] = [
            .ok("state-dir", "\(path) \(isNew ? "will be created" : "can be written to")")
        ]
        if let free = Self.freeBytes(existing), free < Self.neededBytes {
            results.append(
                .warning(
                    "state-dir",
                    "\(free >> 20) MiB of disk space are free, but the census may need "
                        + "\(Self.neededBytes >> 20) MiB",
                    fix: "free disk space; while the disk is full, counts are lost, but requests "
                        + "are served"
                )
            )
        }
        if unsafe access("\(path)/\(Census.demoMark)", F_OK) == 0 {
            results.append(
                .warning(
                    "state-dir",
                    "\(path) contains demo data",
                    fix: "use another directory"
                )
            )
        }
        return results
    }

    private static func freeBytes(_ path: String) -> UInt64? {
        var figures = statvfs()
        guard unsafe statvfs(path, &figures) == 0 else { return nil }
        return UInt64(figures.f_bavail) * UInt64(figures.f_frsize)
    }
}
