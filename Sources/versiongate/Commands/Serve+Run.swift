import ArgumentParser
import FoundationEssentials
import GateAdmin
import GateCensus
import GateControl
import GateFeeds
import GatePolicy
import GateProxy
import GateRecords
import GateRules
import GateSystem
import Glibc
import Logging
import NIOCore
import ServiceLifecycle
import UnixSignals

/// Runs the gate: reads the settings, starts the services, and waits until they have stopped.
extension Serve {
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
            try StandardError.fail("versiongate: \(error)")
        }
        let log = settings.logFormat.install(level: settings.logLevel)
        for remark in EnvironmentNames.remarks {
            Logger(label: "versiongate").warning("\(remark)")
        }
        // A stalled reader of the log must not keep the gate from exiting.
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
        let adminPlace = AdminServer.Place(
            settings,
            inherited: inherited.sockets { $0 == InheritedSockets.adminName }
        )
        let adminLimits = DescriptorLimit.raise(
            for: settings.gate,
            hasAdminListener: adminPlace != nil,
            logger: logger
        )
        let hangups = await UnixSignalsSequence(trapping: .sighup)
        let loader = settings.loader
        let state = State(settings, logger: logger)
        let trust: TrustedAuthorities
        let publisher: RulesPublisher?
        let starting: StartingRules
        do {
            publisher = try settings.publisher(logger: logger)
            trust = try TrustedAuthorities(\.feedCA, settings.feedCA)
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
        var gateSettings = settings.gate
        // Without an admin listener or a collector, latency metrics cannot be read, so reading the
        // clock is not worth its cost.
        if adminPlace == nil, settings.metricsExport == nil { gateSettings.measuresLatency = false }
        gateSettings.passes = state.passSettings(settings)
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
                inherited: inherited.listeners
            )
        } catch let loop as UpstreamLoop {
            logger.error("\(loop)")
            throw ExitCode.failure
        } catch {
            let address =
                (error as? BindProblem)?.endpoint ?? settings.gate.listen
                ?? settings.gate.decideListen
            logger.error(
                "cannot listen",
                metadata: ["address": "\(address.map(\.description) ?? "")", "error": "\(error)"]
            )
            throw ExitCode.failure
        }
        state.passes?.start()
        defer { state.passes?.close() }
        let audit = AuditLog.open(in: state.folder, census: census, logger: logger)
        for change in starting.changes(at: SystemClock.now()) { audit?.note(change) }
        let reloader = RulesReloader(
            loader: loader,
            initial: .init(
                loaded,
                contributions: starting.contributions,
                failure: starting.failure
            ),
            collaborators: .init(
                census: census?.clients,
                filter: breaker,
                archive: state.archive,
                keep: { state.lastGood?.keep($0) },
                publishToModule: publisher?.publish,
                note: { audit?.note($0) }
            ),
            logger: logger
        ) { ruleSet in
            await server.use(ruleSet)
            await census?.note(ruleSet, at: SystemClock.now())
        }
        await breaker?.connect(
            publish: { await reloader.republish() },
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
        let endpoints = AdminEndpoints(
            reloader: reloader,
            coordinator: coordinator,
            hooks: hooks,
            lastGood: state.lastGood,
            gate: GateView(server, log: log),
            census: census,
            audit: audit,
            archive: state.archive,
            breaker: breaker,
            publisher: publisher,
            now: SystemClock.now
        )
        let admin = try await self.startAdmin(
            adminPlace,
            token: settings.adminToken,
            limits: adminLimits,
            endpoints,
            logger: logger
        )
        if admin == nil, let feed = loaded.feeds.first(where: \.hasWebhook) {
            logger.warning(
                "webhooks cannot be received without \(Settings[\.adminListen].name.flag)",
                metadata: ["feed": "\(feed.id)"]
            )
        }
        // The rules are published only after the listeners have been opened, so that a gate that fails to start does
        // not replace the file of a running gate.
        await reloader.publishToModule()
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
        let supervisor = FeedSupervisor(
            reloader: reloader,
            coordinator: coordinator,
            hooks: hooks,
            trust: trust,
            logger: logger
        )
        // Services are shut down in reverse order.
        var services: [any Service] = []
        if let interval = settings.census?.interval, let census, let breaker {
            services.append(
                CensusService(
                    census: census,
                    breaker: breaker,
                    audit: audit,
                    server: server,
                    interval: interval
                )
            )
        }
        services.append(
            ReloadService(
                reloader: reloader,
                certificates: certificates,
                path: settings.rules,
                hangups: hangups,
                manager: manager,
                logger: logger
            )
        )
        if let certificates {
            let service = CertificateService(reloader: certificates, loadedState: certificateState)
            services.append(service)
        }
        let watchdog = WatchdogService(server: server, manager: manager, logger: logger)
        services += [BackgroundService { await supervisor.run() }, watchdog, gate]
        if let (url, interval) = settings.metricsExport {
            let exporter = try MetricsExporter(
                endpoints,
                to: url,
                every: interval,
                trust: trust,
                logger: logger
            )
            services.append(BackgroundService { await exporter.run() })
        }
        // The following services are appended last so that they are shut down first. The admin listener closes at once
        // if another gate shares the port; otherwise it serves until the last client request is complete. The publisher
        // stops, because the file of published rules may already belong to the gate's successor.
        if let admin {
            services.append(ShutdownService { await admin.closeListenerForSuccessor() })
        }
        if let publisher { services.append(ShutdownService { publisher.stop() }) }
        let group = ServiceGroup(
            configuration: ServiceGroupConfiguration(
                services: services.map { .init(service: $0) },
                gracefulShutdownSignals: [.sigterm, .sigint],
                logger: Logger(label: "versiongate.lifecycle") { _ in SwiftLogNoOpLogHandler() }
            )
        )
        // The ready notification must precede the first reload notification.
        gate.announce()
        do {
            try await group.run()
        } catch is GateService.ListenerClosed {
            throw ExitCode.failure
        } catch {
            // If ArgumentParser printed the error, the write could block on a stalled reader of the
            // log.
            logger.error("a service failed", metadata: ["error": "\(error)"])
            throw ExitCode.failure
        }
        await admin?.shutDown()
    }

    private func startAdmin(
        _ place: AdminServer.Place?,
        token: AdminTokenFile?,
        limits: AdminLimits,
        _ endpoints: AdminEndpoints,
        logger: Logger
    ) async throws -> AdminServer? {
        guard let place else { return nil }
        do {
            return try await AdminServer.start(
                on: place,
                endpoints: endpoints,
                token: token,
                limits: limits,
                logger: logger
            )
        } catch {
            var problem = "\(error)"
            if case .address(let host, let port, _) = place {
                problem = BindProblem(Endpoint(host: host, port: port), error).description
            }
            logger.error(
                "cannot open the admin listener",
                metadata: ["address": "\(place)", "error": "\(problem)"]
            )
            throw ExitCode.failure
        }
    }
}
