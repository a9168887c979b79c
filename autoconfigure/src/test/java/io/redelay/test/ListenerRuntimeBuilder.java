package io.redelay.test;

import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Executor;

import io.micrometer.observation.ObservationRegistry;
import io.redelay.queue.claim.ClaimRuntime;
import io.redelay.queue.claim.ClaimSignals;
import io.redelay.queue.claim.ListenerRuntime;
import io.redelay.queue.claim.LocalGates;
import io.redelay.queue.claim.OutboxRelays;
import io.redelay.queue.claim.SuspectAdmission;
import io.redelay.queue.claim.WakeUps;
import io.redelay.queue.failure.FailureRuntime;
import io.redelay.queue.handle.HandlerRuntime;
import io.redelay.queue.handle.TickAdmission;
import io.redelay.queue.invariant.Invariants;
import io.redelay.queue.measure.QueueMeters;
import io.redelay.queue.message.EnvelopeCodec;
import io.redelay.queue.notes.WorkSettings;
import io.redelay.queue.script.QueueScripts;
import io.redelay.queue.script.admin.AdminScripts;
import io.redelay.scheduling.SafetyPoll;
import io.redelay.scheduling.Scheduler;
import tools.jackson.databind.json.JsonMapper;

/**
 * Builds what the containers of a test share, without an application.
 */
public final class ListenerRuntimeBuilder {

	private final QueueScripts store;

	private final Scheduler scheduler;

	private Executor handlers;

	private Scheduler handlerScheduler;

	private SafetyPoll safetyPoll = new SafetyPoll(Duration.ofMinutes(10));

	private Invariants invariants = Invariants.LOGGED;

	private AdminScripts adminStore = IdleStore.admin();

	/**
	 * Begins with parts that run everything on one scheduler.
	 */
	public ListenerRuntimeBuilder(QueueScripts store, Scheduler scheduler) {
		this.store = store;
		this.scheduler = scheduler;
		this.handlers = scheduler::execute;
		this.handlerScheduler = scheduler;
	}

	public ListenerRuntimeBuilder handlers(Executor executor, Scheduler limits) {
		this.handlers = executor;
		this.handlerScheduler = limits;
		return this;
	}

	public ListenerRuntimeBuilder safetyPoll(SafetyPoll poll) {
		this.safetyPoll = poll;
		return this;
	}

	public ListenerRuntimeBuilder invariants(Invariants reported) {
		this.invariants = reported;
		return this;
	}

	public ListenerRuntimeBuilder adminStore(AdminScripts admin) {
		this.adminStore = admin;
		return this;
	}

	public ListenerRuntime build() {
		ClaimSignals signals = new ClaimSignals(this.store, this.scheduler, new WakeUps(this.store.wakeUps()),
				this.safetyPoll, new SuspectAdmission(this.scheduler), LocalGates.none(this.scheduler));
		ClaimRuntime claims = new ClaimRuntime(this.store, this.scheduler, signals, SinglePartitions.create(),
				new OutboxRelays(this.store, this.scheduler, List.of()), this.invariants, TickAdmission.NONE,
				WorkSettings.DEFAULTS);
		HandlerRuntime calls = new HandlerRuntime(this.handlers, this.handlerScheduler, ObservationRegistry.NOOP, null,
				null, List.of(), null, new QueueMeters(Set.of()));
		return new ListenerRuntime(claims, calls,
				new FailureRuntime("here", JsonMapper.shared(), List.of(), new QueueMeters(Set.of())),
				new EnvelopeCodec(), this.adminStore, TestSettings.noTopics(this.scheduler), (lost) -> {
				});
	}

}
