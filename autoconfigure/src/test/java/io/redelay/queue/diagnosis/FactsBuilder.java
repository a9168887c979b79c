package io.redelay.queue.diagnosis;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

import io.redelay.delivery.LockUse;
import io.redelay.queue.admin.FailureCause;
import io.redelay.queue.admin.InstanceInfo;
import io.redelay.queue.admin.InstanceListener;
import io.redelay.queue.admin.ListenedQueue;
import io.redelay.queue.admin.ListenedQueue.Limit;
import io.redelay.queue.admin.QueueDiagnosis;
import io.redelay.queue.admin.QueueInfo;
import io.redelay.queue.admin.RedriveStatus;
import io.redelay.queue.message.StoredLimits;
import io.redelay.queue.script.admin.LanesScript;
import io.redelay.queue.script.admin.LookScript;
import io.redelay.queue.script.admin.LookScript.Blocked;
import org.jspecify.annotations.Nullable;

/**
 * A queue of two instances with four handlers each, which is given by figures.
 */
final class FactsBuilder {

	static final Instant NOW = Instant.parse("2026-11-23T12:00:00Z");

	private long inlet;

	private int takers;

	long ready;

	long scheduled;

	@Nullable Instant nextDue;

	long inFlight;

	long dead;

	Duration age = Duration.ZERO;

	boolean paused;

	boolean closed;

	@Nullable Instant gatedUntil;

	long retrying;

	long waitingForTurn;

	long keysInTurn;

	Blocked keysInHand = new Blocked(0, 0);

	Blocked keysRated = new Blocked(0, 0);

	Blocked keysGated = new Blocked(0, 0);

	long closedKeys;

	long lostTicks;

	@Nullable RedriveStatus redrive;

	int consumers = 2;

	/**
	 * How long the first so many instances have been silent, and what their leases have
	 * left.
	 */
	int silent;

	Duration silence = Duration.ZERO;

	/**
	 * How far the clock of the instances' announcements is ahead of the queue's.
	 */
	Duration otherClock = Duration.ZERO;

	@Nullable Duration lease = Duration.ofSeconds(20);

	int concurrency = 4;

	int busy = 1;

	/**
	 * How many handlers of each instance work on messages of another queue.
	 */
	int othersInHands;

	boolean withoutLanes;

	InstanceListener.State state = InstanceListener.State.RUNNING;

	boolean gated;

	@Nullable Duration claimTime = Duration.ofMillis(1);

	boolean unanswered;

	StoredLimits limits = StoredLimits.NONE;

	@Nullable String rateLimit;

	@Nullable Integer maxInFlight;

	@Nullable Integer keyMaxInFlight;

	@Nullable String keyRateLimit;

	@Nullable String sharedLimit;

	@Nullable String waitsFor;

	@Nullable String sharedRateLimit;

	@Nullable Integer sharedMaxInFlight;

	Set<Limit> limitedBy = Set.of();

	long lockRefusals;

	long packed;

	/**
	 * How long handlers take by the announcements, and wait for locks meanwhile.
	 */
	@Nullable Duration announcedMean;

	@Nullable Duration lockWait;

	List<FailureCause> causes = List.of();

	List<LockUse> locks = List.of();

	@Nullable Throughput throughput = new Throughput(Duration.ofSeconds(60), 600, new Throughput.Attempts(600, 0, 0),
			new Throughput.Times(Duration.ofMillis(3), Duration.ofMillis(40), Duration.ofMillis(20)),
			new Throughput.Deaths(0, 0), 10.0, null);

	FactsBuilder waiting(long ready, Duration age) {
		this.ready = ready;
		this.age = age;
		return this;
	}

	FactsBuilder handlers(int busyEach, Duration mean, long sent, long handled) {
		this.busy = busyEach;
		this.throughput = new Throughput(Duration.ofSeconds(60), sent, new Throughput.Attempts(handled, 0, 0),
				new Throughput.Times(this.age, this.age, mean), new Throughput.Deaths(0, 0), sent / 60.0, null);
		return this;
	}

	void trend(Throughput.Trend trend) {
		Throughput known = this.throughput;
		if (known != null) {
			Double arrived = trend.arrivedPerSecond();
			this.throughput = new Throughput(known.span(), known.sent(), known.attempts(), known.times(), known.died(),
					(arrived != null) ? arrived : known.arrivedPerSecond(), trend);
		}
	}

	FactsBuilder readyAMinuteAgo(Duration mean, long sent, long handled, long readyBefore) {
		this.busy = this.concurrency;
		this.throughput = new Throughput(Duration.ofSeconds(60), sent, new Throughput.Attempts(handled, 0, 0),
				new Throughput.Times(this.age, this.age, mean), new Throughput.Deaths(0, 0),
				(handled + this.ready - readyBefore) / 60.0, null);
		return this;
	}

	FactsBuilder failing(long failed, long handled) {
		this.throughput = new Throughput(Duration.ofSeconds(60), 600, new Throughput.Attempts(handled, failed, 0),
				new Throughput.Times(Duration.ofMillis(3), Duration.ofMillis(40), Duration.ofMillis(20)),
				new Throughput.Deaths(0, 0), 10.0, null);
		return this;
	}

	FactsBuilder inlet(long entries, int takers) {
		this.inlet = entries;
		this.takers = takers;
		return this;
	}

	QueueFacts facts() {
		QueueInfo info = new QueueInfo("orders", this.scheduled, this.ready, this.inFlight, this.dead, this.nextDue,
				this.age, this.paused, this.closed, this.gatedUntil, 0, 0, 0, this.inlet, this.packed);
		List<InstanceInfo> instances = new ArrayList<>();
		for (int i = 1; i <= this.consumers; i++) {
			ListenedQueue queue = new ListenedQueue("orders", this.gated, Duration.ofMillis(5), this.claimTime,
					this.unanswered, this.announcedMean, 0, 0, this.lockRefusals, this.causes, this.rateLimit,
					this.maxInFlight, this.keyRateLimit, this.keyMaxInFlight, this.sharedLimit, this.sharedRateLimit,
					this.sharedMaxInFlight, this.limitedBy, 5, "1000 ms", Duration.ofSeconds(30), this.waitsFor, null,
					(this.redrive != null) ? this.redrive.rule() : null, this.busy - this.othersInHands, this.lockWait);
			ListenedQueue other = new ListenedQueue("reports", false, null, null, false, null, 0, 0, 0, List.of(), null,
					null, null, null, null, null, null, Set.of(), 5, "1000 ms", Duration.ofSeconds(30), null, null,
					null, this.othersInHands, null);
			instances.add(new InstanceInfo("i" + i, "host-" + i + ":1", null, NOW,
					(i <= this.silent) ? NOW.plus(this.otherClock).minus(this.silence) : NOW.plus(this.otherClock),
					List.of(new InstanceListener("listener", this.state, this.concurrency, this.busy, 0,
							List.of(queue, other))),
					(i == 1) ? this.locks : List.of(), 0, 0, Set.of()));
		}
		return new QueueFacts(NOW, info,
				new LookScript.Waiting(this.retrying, this.waitingForTurn, this.keysInTurn, this.keysInHand,
						this.keysRated, this.keysGated, this.closedKeys, this.lostTicks),
				new QueueFacts.Consumers(
						(this.withoutLanes || this.state == InstanceListener.State.STOPPED) ? List.of() : lanes(),
						this.takers, instances, NOW.plus(this.otherClock)),
				this.throughput, this.limits, this.redrive, Duration.ofMillis(1));
	}

	private List<LanesScript.Lane> lanes() {
		List<LanesScript.Lane> lanes = new ArrayList<>();
		for (int i = 1; i <= this.consumers; i++) {
			Duration lease = (i <= this.silent) ? this.lease : Duration.ofSeconds(30);
			if (lease != null) {
				lanes.add(new LanesScript.Lane("i" + i + ".0", lease, 3));
			}
		}
		return lanes;
	}

	QueueDiagnosis diagnose() {
		return DiagnosisRules.apply(facts());
	}

}
