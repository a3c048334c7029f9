import ArgumentParser
import FoundationEssentials
import GateAdmin
import GateCensus
import GateControl
import GatePolicy
import GateProxy
import Glibc
import Logging
import NIOCore
import ServiceLifecycle
import UnixSignals

/// The gate itself.
struct Serve: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Runs the gate.",
        discussion: """
            Every option can also be given in the environment (--drain-timeout is \
            VERSIONGATE_DRAIN_TIMEOUT) and in a YAML or JSON file (drainTimeout). The flag wins over \
            the environment, the environment over the file.

            Started by systemd, it takes over the sockets of a socket unit (LISTEN_FDS) in place of \
            --listen, one that is called admin in place of --admin-listen, and tells when it is \
            ready, reloads, stops, and is alive (NOTIFY_SOCKET).

            SIGHUP reads the rules and the certificates again; so does a change of their files. \
            SIGTERM and SIGINT let requests come to their end and exit with 0.
            """
    )

    @Option(help: "YAML or JSON file with settings.")
    var config: String?
    @Option(help: "Where clients connect, HOST:PORT (default 127.0.0.1:8080).")
    var listen: String?
    @Option(help: "A second address, for TLS alone; without it --listen speaks TLS.")
    var tlsListen: String?
    @Option(help: "Certificates (PEM), by comma; SNI chooses, the first is the default.")
    var tlsCertificate: String?
    @Option(help: "Their keys in the same order, by comma.")
    var tlsKey: String?
    @Option(help: "Authorities (PEM) that must have signed a client's certificate.")
    var tlsClientCa: String?
    @Option(
        help: "Where operators look and reload, and webhooks come: [HOST:]PORT (default: nowhere)."
    )
    var adminListen: String?
    @Option(help: "File with the tokens that operators on other machines send, one a line.")
    var adminTokenFile: String?
    @Option(help: "File with the secret that previews for testers are signed by (default: none).")
    var previewSecretFile: String?
    @Option(help: "Whether requests are timed for /metrics of the admin listener (default true).")
    var latencyMetrics: String?
    @OptionGroup var census: CensusFlags
    @Flag(help: "Let another gate listen on the same address, to take over (SO_REUSEPORT).")
    var reusePort = false
    @Option(
        help: "on: each connection from --trusted-proxies begins with a PROXY header (default off)."
    )
    var proxyProtocol: String?
    @Option(
        help:
            "The backend: http(s) or h2c://HOST[:PORT], or unix:/PATH; several, by comma, in turn."
    )
    var upstream: String?
    @Option(
        help: "http1 or http2: to the backend in no other; auto: https backends choose (default)."
    )
    var upstreamProtocol: String?
    @Option(help: "Seconds until an HTTP/2 backend that is silent is sent a PING (default 300).")
    var upstreamPing: String?
    @Option(help: "Seconds between two look-ups of the backend's name (default 30).")
    var dnsRefresh: String?
    @Option(
        name: .customLong("upstream-ca"),
        help: "PEM file: who may vouch for an https backend (default: whom the system trusts)."
    )
    var upstreamCA: String?
    @Option(help: "Name in the certificate of an https backend (default: its host).")
    var upstreamServerName: String?
    @Option(help: "The rules: a YAML or JSON file, or a folder of them.")
    var rules: String?
    @Option(help: "Folder for the last good rules and for what feeds said, for a restart.")
    var stateDir: String?
    @Flag(help: "Never start by the last good rules: a file that is broken or refused exits 1.")
    var strictStart = false
    @Option(
        name: .customLong("feed-ca"),
        help: "PEM file: who may vouch for a feed, besides those whom the system trusts."
    )
    var feedCA: String?
    @Option(help: "Event loops, each on a thread of its own (default: one per core).")
    var threads: String?
    @Option(
        help: "Seconds after SIGTERM in which it goes on, and says at /-/ready that it goes (none)."
    )
    var drainDelay: String?
    @Option(help: "Seconds that requests may take then (default 30).")
    var drainTimeout: String?
    @Option(help: "Seconds for a request head (default 10).")
    var headTimeout: String?
    @Option(help: "Seconds between two requests on a connection (default 75).")
    var idleTimeout: String?
    @Option(
        help: "Seconds of silence after which a plain connection is parked (default 2), or off."
    )
    var parkAfter: String?
    @Option(help: "Seconds between two pieces of a request body (default 30).")
    var bodyTimeout: String?
    @Option(help: "Seconds for a connection to the backend (default 5).")
    var connectTimeout: String?
    @Option(help: "Seconds for the backend's answer, and between two pieces of it (default 60).")
    var responseTimeout: String?
    @Option(help: "Seconds of silence on a WebSocket or other tunnel (default 3600).")
    var tunnelTimeout: String?
    @Option(help: "Bytes of a request head (default 32768).")
    var maxHeadBytes: String?
    @Option(help: "Header fields of a request (default 100).")
    var maxHeaderCount: String?
    @Option(help: "Bytes of a request target (default 8192).")
    var maxTargetBytes: String?
    @Option(help: "Bytes of a request body (default: any number).")
    var maxBodyBytes: String?
    @Option(help: "Client connections at the same time (default 100000).")
    var maxConnections: String?
    @Option(help: "Connections at the same time from one address or IPv6 /64 (default: any).")
    var maxConnectionsPerAddress: String?
    @Option(help: "Requests at the same time that wait for the backend (default 10000).")
    var maxPendingRequests: String?
    @Option(help: "Clients at the same time that listen to events (default 50000).")
    var maxEventStreams: String?
    @Option(help: "Whether bytes take a shorter way to sockets without TLS (default true).")
    var socketBypass: String?
    @Option(help: "Whether clients can ask the gate under /.versiongate/ (default true).")
    var clientEndpoints: String?
    @Option(help: "Proxies whose X-Forwarded-* are believed: addresses and CIDR ranges, by comma.")
    var trustedProxies: String?
    @Flag(help: "Log one line for each request.")
    var accessLog = false
    @Option(help: "common, combined or json (default: combined, json with --log-format json).")
    var accessLogFormat: String?
    @Option(help: "text or json (default text).")
    var logFormat: String?
    @Option(help: "trace, debug, info, notice, warning or error (default info).")
    var logLevel: String?

    func run() async throws {
        let settings: ServeSettings
        let inherited: InheritedSockets
        let environment = ProcessInfo.processInfo.environment
        do throws(SettingsError) {
            inherited = try .announced(in: environment, processIdentifier: getpid())
            try inherited.takeOver()
            settings = try ServeSettings(
                SettingsReader(flags: self.flags, file: self.config)
            )
        } catch {
            StandardError.write("versiongate: \(error)")
            throw ExitCode.failure
        }
        let log = settings.logFormat.install(level: settings.logLevel)
        for remark in EnvironmentNames.remarks(on: environment) {
            Logger(label: "versiongate").warning("\(remark)")
        }
        // Longer than that no reader of the log keeps the gate from ending.
        defer { log.flush(atMost: .seconds(1)) }
        let manager = ServiceManager(environment: environment, processIdentifier: getpid())
        try await self.serve(
            settings,
            inherited: inherited,
            manager: manager,
            log: log,
            logger: Logger(label: "versiongate")
        )
    }

    private func serve(
        _ settings: ServeSettings,
        inherited: InheritedSockets,
        manager: ServiceManager?,
        log: LogWriter,
        logger: Logger
    ) async throws {
        DescriptorLimit.raise(for: settings.gate, logger: logger)
        let hangups = await UnixSignalsSequence(trapping: .sighup)
        let loader = RulesFileLoader(path: settings.rules)
        let state = State(settings, logger: logger)
        let trust: TrustedAuthorities
        let starting: StartingRules
        do {
            trust = try TrustedAuthorities(.feedCA, settings.feedCA)
            starting = try state.startingRules(settings, loader, logger: logger)
        } catch let error as SettingsError {
            logger.error("\(error)")
            throw ExitCode.failure
        } catch is LoadFailure {
            throw ExitCode.failure
        }
        let loaded = starting.rules
        let certificateState = settings.gate.tls?.paths.map(FileState.init) ?? []
        let tls: ServerTLS?
        do throws(TLSFileError) {
            tls = try settings.gate.tls.map { files throws(TLSFileError) in try ServerTLS(files) }
        } catch {
            logger.error(
                "certificates not loaded",
                metadata: ["file": "\(error.file)", "reason": "\(error.reason)"]
            )
            throw ExitCode.failure
        }
        if let tls { CertificateReloader.remark(on: tls, logger) }
        let adminPlace = AdminServer.Place(
            settings,
            inherited: inherited.sockets { $0 == InheritedSockets.adminName }
        )
        var gateSettings = settings.gate
        // Figures that nobody can ask for are not worth a look at the clock.
        if adminPlace == nil { gateSettings.measuresLatency = false }
        let opened = settings.census.flatMap { wanted in
            Census.open(
                in: state.folder,
                limit: wanted.maxCells,
                hash: wanted.hash,
                fleet: wanted.fleet,
                samplesReturns: wanted.samplesReturns,
                hasPage: adminPlace != nil,
                logger: logger
            )
        }
        gateSettings.census = settings.census.flatMap { wanted in
            opened.map { wanted.tally(hash: $0.hash) }
        }
        let census = opened?.census
        let breaker = census.map {
            Breaker(census: $0, folder: state.folder, trust: trust, logger: logger)
        }
        let ruleSet = await breaker?.start(loaded, after: starting.former) ?? loaded.ruleSet
        await census?.note(ruleSet, at: SystemClock.now())
        let server: GateServer
        do {
            server = try await GateServer.start(
                settings: gateSettings,
                ruleSet: ruleSet,
                tls: tls,
                logger: logger,
                log: log,
                inherited: inherited.sockets { $0 != InheritedSockets.adminName }
            )
        } catch let loop as UpstreamLoop {
            logger.error("\(loop)")
            throw ExitCode.failure
        } catch {
            let address = (error as? BindProblem)?.endpoint ?? settings.gate.listen
            logger.error(
                "cannot listen",
                metadata: ["address": "\(address)", "error": "\(error)"]
            )
            throw ExitCode.failure
        }
        let audit = AuditLog.open(in: state.folder, census: census, logger: logger)
        audit?.note(starting, at: SystemClock.now())
        let reloader = RulesReloader(
            loader: loader,
            current: loaded,
            contributions: starting.contributions,
            failure: starting.failure,
            census: census?.clients,
            filter: breaker,
            archive: state.archive,
            logger: logger,
            keep: { state.lastGood?.keep($0) },
            note: { audit?.note($0) },
            publish: { ruleSet in
                await server.use(ruleSet)
                await census?.note(ruleSet, at: SystemClock.now())
            }
        )
        await breaker?.connect(
            publish: { await reloader.publishAgain() },
            tellClients: { await server.tellClients($0) }
        )
        let certificates = settings.gate.tls.map { files in
            CertificateReloader(files: files, logger: logger) { tls in await server.use(tls) }
        }
        let coordinator = FeedCoordinator(reloader: reloader, store: state.feeds, logger: logger) {
            feed,
            time in
            await server.confirm(feed, at: time)
        }
        let hooks = FeedHooks(logger: logger)
        let admin = try await self.startAdmin(
            adminPlace,
            token: settings.adminToken,
            AdminEndpoints(
                reloader: reloader,
                coordinator: coordinator,
                hooks: hooks,
                lastGood: state.lastGood,
                gate: GateView(server, log: log),
                census: census,
                audit: audit,
                archive: state.archive,
                breaker: breaker,
                now: SystemClock.now
            ),
            logger: logger
        )
        if admin == nil, let feed = loaded.feeds.first(where: \.hasWebhook) {
            logger.warning(
                "no webhook can come: there is no \(Setting.adminListen.flag)",
                metadata: ["feed": "\(feed.id)"]
            )
        }
        let gate = GateService(
            server: server,
            adminAddress: admin?.address,
            upstream: settings.gate.upstream,
            revision: ruleSet.revision,
            drainTimeout: settings.drainTimeout,
            manager: manager,
            log: log,
            logger: logger
        )
        let reload = ReloadService(
            reloader: reloader,
            certificates: certificates,
            path: settings.rules,
            hangups: hangups,
            manager: manager,
            logger: logger
        )
        let watchdog = WatchdogService(server: server, manager: manager, logger: logger)
        let supervisor = FeedSupervisor(
            reloader: reloader,
            coordinator: coordinator,
            hooks: hooks,
            trust: trust,
            logger: logger
        )
        // The first is the last to learn that the gate is to stop.
        let counting = CensusService(settings.census, census, breaker, audit, server)
        var services: [any Service] = [counting].compactMap(\.self)
        services.append(reload)
        if let certificates {
            let service = CertificateService(reloader: certificates, loadedState: certificateState)
            services.append(service)
        }
        services += [FeedService(supervisor: supervisor), watchdog, gate]
        // The last is the first.
        if let admin { services.append(AdminService(server: admin)) }
        let group = ServiceGroup(
            configuration: ServiceGroupConfiguration(
                services: services.map { .init(service: $0) },
                gracefulShutdownSignals: [.sigterm, .sigint],
                logger: Logger(label: "versiongate.lifecycle") { _ in SwiftLogNoOpLogHandler() }
            )
        )
        // Before the first reload can be told.
        gate.announce()
        do {
            try await group.run()
        } catch is GateService.ListenerClosed {
            throw ExitCode.failure
        } catch {
            // Printed by the parser of the arguments, it would wait for the reader of the log.
            logger.error("a service failed", metadata: ["error": "\(error)"])
            throw ExitCode.failure
        }
        await admin?.shutDown()
    }

    private func startAdmin(
        _ place: AdminServer.Place?,
        token: AdminTokenFile?,
        _ endpoints: AdminEndpoints,
        logger: Logger
    ) async throws -> AdminServer? {
        guard let place else { return nil }
        do {
            return try await AdminServer.start(
                on: place,
                endpoints: endpoints,
                token: token,
                logger: logger
            )
        } catch {
            var problem = "\(error)"
            if case .address(let host, let port, _) = place {
                problem = BindProblem(Endpoint(host: host, port: port), error).description
            }
            logger.error(
                "cannot listen for operators",
                metadata: ["address": "\(place)", "error": "\(problem)"]
            )
            throw ExitCode.failure
        }
    }
}
