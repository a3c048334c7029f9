import GateAdmin
import GateControl
import GateProxy
import GateWire
import Logging
import NIOCore

/// The settings of `versiongate serve`, understood and complete.
struct ServeSettings {
    var gate: GateSettings
    /// Path of the rules file or folder.
    var rules: String
    /// Folder for what feeds said last, and for the last good rules.
    var stateDir: String?
    /// Whether a gate whose rules file is broken or refused does not start.
    var isStrictStart: Bool
    /// PEM file of those who may vouch for a feed, besides those whom the system trusts.
    var feedCA: String?
    /// The endpoint that operators, and webhooks, connect to; `nil`: none.
    var adminListen: Endpoint?
    /// The file with the token that is asked of operators on other machines.
    var adminToken: AdminTokenFile?
    /// The settings of the count of clients; `nil`: they are not counted.
    var census: CensusSettings?
    /// How long exchanges may take after SIGTERM.
    var drainTimeout: TimeAmount
    var logFormat: LogFormat
    var logLevel: Logger.Level

    /// - Throws: the first setting that is missing or cannot be understood.
    init(_ reader: SettingsReader) throws(SettingsError) {
        let listen = try reader.optional(.listen, "HOST:PORT", hint: Endpoint.hint(for:)) {
            Endpoint($0)
        }
        var gate = GateSettings(
            listen: listen ?? Endpoint(host: "127.0.0.1", port: 8080),
            upstream: try Self.upstream(reader)
        )
        gate.tlsListen = try reader.optional(.tlsListen, "HOST:PORT", hint: Endpoint.hint(for:)) {
            Endpoint($0)
        }
        gate.tls = try TLSFiles(reader)
        if gate.tlsListen != nil, gate.tls == nil { throw .missing(.tlsCertificate) }
        gate.threads = try reader.number(.threads, in: 1...256) ?? System.coreCount
        gate.maxConnections =
            try reader.number(.maxConnections, in: 1...10_000_000)
            ?? gate.maxConnections
        gate.maxConnectionsPerAddress =
            try reader.number(.maxConnectionsPerAddress, in: 1...10_000_000)
        gate.maxPendingRequests =
            try reader.number(.maxPendingRequests, in: 1...10_000_000)
            ?? gate.maxPendingRequests
        gate.reusesPort = try reader.boolean(.reusePort) ?? false
        if let seconds = try reader.seconds(.drainDelay) {
            gate.drainDelay = TimeAmount(seconds: seconds)
        }
        gate.maxEventStreams =
            try reader.number(.maxEventStreams, in: 0...10_000_000)
            ?? gate.maxEventStreams
        gate.bypassesChannels = try reader.boolean(.socketBypass) ?? true
        gate.servesClients = try reader.boolean(.clientEndpoints) ?? true
        gate.maxBodyBytes = try reader.number(.maxBodyBytes, in: 0...Int.max).map(UInt64.init)
        gate.trustedProxies =
            try reader.optional(.trustedProxies, "addresses or CIDR ranges, separated by commas") {
                TrustedProxies(
                    $0.split(separator: ",").map { String($0.filter { $0 != " " }) }
                )
            } ?? .none
        gate.readsProxyHeaders = try reader.boolean(.proxyProtocol) ?? false
        if gate.readsProxyHeaders, gate.trustedProxies == .none {
            throw SettingsError(
                "--proxy-protocol on: --trusted-proxies must say from whom to believe it"
            )
        }
        gate.headLimits = try Self.headLimits(reader)
        gate.timeouts = try Self.timeouts(reader)
        switch try reader.secondsOrOff(.parkAfter) {
        case .seconds(let seconds): gate.parkAfter = TimeAmount(seconds: seconds)
        case .off: gate.parkAfter = nil
        case nil: break
        }
        self.logFormat =
            try reader.optional(.logFormat, "text or json") {
                LogFormat(rawValue: $0)
            } ?? .text
        let accessLogFormat =
            try reader.optional(.accessLogFormat, "common, combined or json") {
                AccessLogFormat(rawValue: $0)
            } ?? self.logFormat.ofAccessLog
        gate.accessLog = try reader.boolean(.accessLog) == true ? accessLogFormat : nil
        if let seal = try PreviewSeal(setting: reader.text(.previewSecretFile)) {
            gate.previews = { field, now in seal.read(field, at: now) }
        }
        gate.measuresLatency = try reader.boolean(.latencyMetrics) ?? true
        self.gate = gate
        self.rules = try reader.required(.rules, "a path") { $0.isEmpty ? nil : $0 }
        self.stateDir = reader.text(.stateDir)
        self.isStrictStart = try reader.boolean(.strictStart) ?? false
        self.feedCA = reader.text(.feedCA)
        self.adminListen = try reader.optional(.adminListen, "PORT or HOST:PORT") { text in
            // A port alone is this machine's: others are let in by name only.
            Endpoint(Int(text) == nil ? text : "127.0.0.1:\(text)")
        }
        self.adminToken = try AdminTokenFile(setting: reader.text(.adminTokenFile))
        self.census = try CensusSettings(reader)
        self.drainTimeout =
            try reader.seconds(.drainTimeout).map(TimeAmount.init(seconds:))
            ?? .seconds(30)
        self.logLevel =
            try reader.optional(.logLevel, "trace, debug, info, notice, warning or error") {
                Logger.Level(rawValue: $0)
            } ?? .info
    }

    private static func upstream(_ reader: SettingsReader) throws(SettingsError) -> UpstreamSettings
    {
        var upstream = UpstreamSettings(
            targets: try reader.required(
                .upstream,
                "http://HOST[:PORT], https://HOST[:PORT], h2c://HOST[:PORT] or unix:/PATH, "
                    + "several separated by commas",
                hint: UpstreamTarget.hint(for:),
                UpstreamTarget.list
            )
        )
        let choice =
            try reader.optional(.upstreamProtocol, "auto, http1 or http2") {
                UpstreamProtocolChoice(rawValue: $0)
            } ?? .auto
        upstream.targets = try upstream.targets.map { (target) throws(SettingsError) in
            guard let target = target.speaking(choice) else {
                throw SettingsError(
                    "\(Setting.upstreamProtocol.flag) \(choice.rawValue): "
                        + "\(Setting.upstream.flag) '\(target)' is HTTP/2"
                )
            }
            return target
        }
        if let seconds = try reader.seconds(.dnsRefresh) {
            upstream.refresh = TimeAmount(seconds: seconds)
        }
        upstream.tls = try Self.upstreamTLS(reader, for: upstream.targets)
        return upstream
    }

    private static func upstreamTLS(
        _ reader: SettingsReader,
        for targets: [UpstreamTarget]
    ) throws(SettingsError) -> UpstreamTLS? {
        let authorities = reader.text(.upstreamCA)
        let name = try reader.optional(.upstreamServerName, "a host name") {
            UpstreamTLS.isServerName($0) ? $0 : nil
        }
        guard targets.contains(where: \.isSecure) else {
            // A check that is believed in and never made.
            if authorities != nil { throw .needsSecureUpstream(.upstreamCA) }
            if name != nil { throw .needsSecureUpstream(.upstreamServerName) }
            return nil
        }
        do {
            return try UpstreamTLS(
                authorities: authorities,
                serverName: name,
                protocols: Set(targets.filter(\.isSecure).map(\.speaks))
            )
        } catch {
            throw SettingsError("\(Setting.upstreamCA.flag) '\(authorities ?? "")': \(error)")
        }
    }

    private static func headLimits(_ reader: SettingsReader) throws(SettingsError) -> HeadLimits {
        var limits = HeadLimits.defaults
        limits.bytes = try reader.number(.maxHeadBytes, in: 256...1_048_576) ?? limits.bytes
        limits.fields = try reader.number(.maxHeaderCount, in: 1...10_000) ?? limits.fields
        limits.target = try reader.number(.maxTargetBytes, in: 16...1_048_576) ?? limits.target
        return limits
    }

    private static func timeouts(_ reader: SettingsReader) throws(SettingsError) -> GateTimeouts {
        var timeouts = GateTimeouts.defaults
        for (setting, timeout) in [
            (Setting.headTimeout, \GateTimeouts.head),
            (.idleTimeout, \.idle),
            (.bodyTimeout, \.body),
            (.connectTimeout, \.connect),
            (.responseTimeout, \.response),
            (.tunnelTimeout, \.tunnel),
            (.upstreamPing, \.upstreamPing),
        ] {
            guard let seconds = try reader.seconds(setting) else { continue }
            timeouts[keyPath: timeout] = TimeAmount(seconds: seconds)
        }
        return timeouts
    }
}

extension AdminTokenFile {
    /// The file that is set, if one is.
    convenience init?(setting path: String?) throws(SettingsError) {
        guard let path else { return nil }
        do throws(AdminTokenError) {
            try self.init(path: path)
        } catch {
            throw SettingsError("\(Setting.adminTokenFile.flag) '\(path)': \(error)")
        }
    }
}

extension PreviewSeal {
    /// The secrets of the file that is set, if one is.
    fileprivate init?(setting path: String?) throws(SettingsError) {
        guard let path else { return nil }
        do throws(Failure) {
            try self.init(path: path)
        } catch {
            throw SettingsError("\(Setting.previewSecretFile.flag) '\(path)': \(error)")
        }
    }
}

extension TimeAmount {
    fileprivate init(seconds: Double) {
        self = .milliseconds(Int64(seconds * 1000))
    }
}
