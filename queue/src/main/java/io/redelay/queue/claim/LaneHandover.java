package io.redelay.queue.claim;

import java.util.Collection;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.BiConsumer;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import io.redelay.log.PlainLog;
import io.redelay.queue.event.LeaseLostEvent;
import io.redelay.queue.handle.Delivery;
import io.redelay.queue.message.Settlement;
import io.redelay.queue.request.LaneStatus;
import io.redelay.queue.request.ReplayMemory;
import io.redelay.queue.request.Rollback;
import io.redelay.queue.script.ResumeScript;
import io.redelay.scheduling.AsyncCall;
import io.redelay.scheduling.Scheduler;
import org.apache.commons.logging.Log;
import org.jspecify.annotations.Nullable;

/**
 * The handover of messages in hand and settlements to the next lane of a loop, from a
 * lane that Redis does not know, or not its last requests.
 */
final class LaneHandover {

	private static final Log logger = PlainLog.of(LaneHandover.class);

	private final String queue;

	private final String listener;

	private final boolean wentBack;

	private final ClaimLane.Forgotten forgotten;

	/**
	 * The settlements that Redis may have forgotten.
	 */
	private final List<Settlement> remembered;

	private final List<Settlement> unsettled;

	private final Set<String> held = new HashSet<>();

	/**
	 * The holdings by uid; the last one if a message was claimed several times.
	 */
	private final Map<String, ResumeScript.Holding> holdings = new LinkedHashMap<>();

	private long laneEpoch;

	/**
	 * Creates the handover.
	 * @param wentBack whether Redis went back in time; otherwise the lease ran out
	 * @param forgotten the settlements that Redis has forgotten, or may have if the lease
	 * ran out; of the latter only acknowledgements are repeated, as these count even late
	 * @param unsettled the settlements of the request that failed
	 */
	LaneHandover(String queue, String listener, boolean wentBack, ClaimLane.Forgotten forgotten,
			List<Settlement> unsettled) {
		this.queue = queue;
		this.listener = listener;
		this.wentBack = wentBack;
		this.forgotten = forgotten;
		this.remembered = forgotten.settlements()
			.stream()
			.filter((settlement) -> wentBack || settlement.isAcknowledgment())
			.toList();
		this.unsettled = List.copyOf(unsettled);
		hold(this.remembered);
		add(this.unsettled);
	}

	/**
	 * Returns whether Redis went back in time; otherwise the lease ran out.
	 */
	boolean wentBack() {
		return this.wentBack;
	}

	/**
	 * Adds settlements that have not been sent yet.
	 */
	void add(List<Settlement> waiting) {
		hold(waiting);
		waiting.forEach((settlement) -> this.held.add(settlement.uid()));
	}

	private void hold(List<Settlement> settlements) {
		for (Settlement settlement : settlements) {
			if (settlement.claim() != Settlement.LATE) {
				this.holdings.put(settlement.uid(),
						new ResumeScript.Holding(settlement.uid(), settlement.claim(), settlement.isEnd(),
								settlement.isAcknowledgment() && settlement.completion() != null,
								settlement.action() == Settlement.Action.GIVE_BACK));
			}
		}
	}

	/**
	 * Adds the deliveries in hand that the lane holds.
	 */
	void addHeld(Collection<Delivery> inHand, long epoch) {
		this.laneEpoch = epoch;
		for (Delivery delivery : inHand) {
			if (delivery.laneEpoch() == epoch) {
				this.held.add(delivery.uid());
				this.holdings.put(delivery.uid(),
						new ResumeScript.Holding(delivery.uid(), delivery.claimNumber(), false));
			}
		}
	}

	/**
	 * Has another lane take over, and tries again until that is done.
	 * @param lane the lane that is replaced
	 * @param done called once, when all possible messages were taken over, with the reply
	 * and the time at which the last request for it was sent
	 */
	void run(ClaimLane lane, Scheduler clock, LoopTimer timer, BiConsumer<ResumeScript.Reply, Long> done) {
		run(this.wentBack, lane, clock, timer, done);
	}

	private void run(boolean fromPast, ClaimLane lane, Scheduler clock, LoopTimer timer,
			BiConsumer<ResumeScript.Reply, Long> done) {
		long sentNanos = clock.nanoTime();
		AsyncCall.of(() -> lane.resume(this.holdings.values(), fromPast)).whenComplete((reply, failure) -> {
			if (failure != null) {
				timer.setPause(failure, () -> run(fromPast, lane, clock, timer, done));
			}
			else if (reply.status() != LaneStatus.OK) {
				// Redis does not know the new lane either.
				timer.setPause(() -> run(true, lane, clock, timer, done));
			}
			else {
				done.accept(reply, sentNanos);
			}
		});
	}

	/**
	 * Returns the earlier settlements and those of the request that failed. If the lease
	 * ran out, earlier ones whose messages were not taken over had taken effect.
	 */
	List<Settlement> settlements(ResumeScript.Reply reply) {
		if (this.wentBack) {
			return Stream.concat(this.remembered.stream(), this.unsettled.stream()).map(Settlement::repeated).toList();
		}
		return Stream
			.concat(this.remembered.stream().filter((settlement) -> !reply.refused().contains(settlement.uid())),
					this.unsettled.stream())
			.toList();
	}

	Map<String, Long> claims() {
		return this.holdings.values()
			.stream()
			.collect(Collectors.toMap(ResumeScript.Holding::uid, ResumeScript.Holding::claim));
	}

	boolean isTakenOver(Delivery delivery, ResumeScript.Reply reply) {
		ResumeScript.Holding holding = this.holdings.get(delivery.uid());
		return delivery.laneEpoch() == this.laneEpoch && holding != null && holding.claim() == delivery.claimNumber()
				&& !reply.refused().contains(delivery.uid());
	}

	/**
	 * Returns the event to publish: none if Redis went back in time, or if the lane held
	 * no messages.
	 */
	@Nullable LeaseLostEvent leaseLost(String logicalQueue, ResumeScript.Reply reply) {
		return (this.wentBack || this.held.isEmpty()) ? null : new LeaseLostEvent(this.listener, logicalQueue,
				this.held.size(), (int) this.held.stream().filter(reply.refused()::contains).count());
	}

	void log(ResumeScript.Reply reply, ReplayMemory memory) {
		if (!this.wentBack && this.held.isEmpty()) {
			return;
		}
		long others = this.held.stream().filter(reply.refused()::contains).count();
		if (!this.wentBack) {
			logger.warn("The lease of the listener '" + this.listener + "' on the queue '" + this.queue
					+ "' had run out, because it was not renewed for as long. Of " + this.held.size()
					+ " message(s) that it held, " + others + " are delivered again");
			return;
		}
		long repeated = this.remembered.stream()
			.filter((settlement) -> !reply.refused().contains(settlement.uid()))
			.count();
		memory.report(new Rollback(this.queue, Rollback.Lane.CONSUMER, this.forgotten.requests(), repeated,
				reply.givenBack(), 0));
	}

}
