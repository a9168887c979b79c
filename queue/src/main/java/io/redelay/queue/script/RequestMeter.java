package io.redelay.queue.script;

import java.util.List;
import java.util.function.Predicate;

import io.redelay.queue.MessageState;
import io.redelay.queue.SendOutcome;
import io.redelay.queue.measure.QueueMeter;
import io.redelay.queue.measure.Settled;
import io.redelay.queue.message.Completion;
import io.redelay.queue.message.CompletionSection;
import io.redelay.queue.message.NextMessage;
import io.redelay.queue.message.Settlement;
import io.redelay.queue.message.UnhandledEnd;
import io.redelay.queue.request.LaneStatus;
import io.redelay.queue.request.SendReply;
import io.redelay.queue.request.SendRequest;
import io.redelay.scheduling.Scheduler;
import org.jspecify.annotations.Nullable;

/**
 * Records in a meter what the requests of a store did, and how long they took.
 * <p>
 * Safe for use by many threads.
 */
public final class RequestMeter {

	private final Scheduler clock;

	private volatile QueueMeter meter = QueueMeter.NONE;

	public RequestMeter(Scheduler clock) {
		this.clock = clock;
	}

	public void setMeter(QueueMeter meter) {
		this.meter = meter;
	}

	public boolean isMeasuring() {
		return this.meter.isMeasuring();
	}

	/**
	 * Returns the time at which a request begins.
	 */
	long start() {
		return this.clock.nanoTime();
	}

	/**
	 * Records sent messages, unless the send was repeated after Redis went back in time.
	 */
	void sent(String queue, SendRequest request, @Nullable SendReply reply, long start) {
		if (reply == null || reply.status() != LaneStatus.OK || request.again()) {
			return;
		}
		int added = request.messages().size();
		for (SendReply.Fate fate : reply.fates().values()) {
			if (fate.outcome() != SendOutcome.ADDED && fate.outcome() != SendOutcome.REPLACED) {
				added--;
			}
		}
		this.meter.sent(queue, added, this.clock.nanoTime() - start);
	}

	/**
	 * Records that the filter of a group left messages out.
	 */
	void leftOut(String queue, int messages) {
		this.meter.leftOut(queue, messages);
	}

	/**
	 * Records settled and claimed messages.
	 * @param together whether a message was sent in the same step as an acknowledgement
	 */
	void claimed(String queue, ClaimRequest request, ClaimReply reply, Predicate<NextMessage> together, long start) {
		if (reply.status() != LaneStatus.OK) {
			return;
		}
		long nanos = this.clock.nanoTime() - start;
		if (request.wanted() > 0 || request.suspect()) {
			this.meter.claimed(queue, reply.messages().size(), nanos);
		}
		if (request.settlements().isEmpty()) {
			return;
		}
		settled(queue, request.settlements(), reply, nanos);
		if (reply.hasNotes()) {
			// Messages to be sent together may be in the outbox, and are counted when
			// they are sent from there.
			return;
		}
		for (Settlement settlement : request.settlements()) {
			Completion completion = settlement.completion();
			if (completion != null && !completion.isAgain() && !reply.refused().contains(settlement.uid())) {
				sentTogether(completion, together);
			}
		}
	}

	private void sentTogether(Completion completion, Predicate<NextMessage> together) {
		for (CompletionSection section : completion.sections()) {
			if (section instanceof NextMessage next && together.test(next)) {
				this.meter.sent(next.queue(), 1, 0);
			}
		}
	}

	private void settled(String queue, List<Settlement> settlements, ClaimReply reply, long nanos) {
		int acknowledged = 0;
		int retried = 0;
		int dead = 0;
		int returned = 0;
		int others = 0;
		boolean plain = reply.refused().isEmpty() && reply.moves().cancelled().isEmpty();
		for (Settlement settlement : settlements) {
			if (!plain && reply.refused().contains(settlement.uid())) {
				continue;
			}
			boolean cancelled = !plain && reply.moves().cancelled().contains(settlement.uid());
			switch (cancelled ? Settlement.Action.CANCEL : settlement.action()) {
				case ACK, DONE -> {
					UnhandledEnd otherwise = otherwise(settlement);
					if (otherwise != null && !otherwise.isExpiry()) {
						dead++;
					}
					else if (otherwise != null || settlement.isExpiry()) {
						others++;
					}
					else {
						acknowledged++;
					}
				}
				case RETRY -> retried++;
				case BURY -> dead++;
				case GIVE_BACK, WAIT -> returned++;
				case CANCEL -> others++;
			}
		}
		if (acknowledged + retried + dead + returned + others > 0) {
			this.meter.settled(queue, new Settled(acknowledged, retried, dead, returned, others), nanos);
		}
	}

	private static @Nullable UnhandledEnd otherwise(Settlement settlement) {
		Completion completion = settlement.completion();
		if (completion != null) {
			for (CompletionSection section : completion.sections()) {
				if (section instanceof UnhandledEnd otherwise) {
					return otherwise;
				}
			}
		}
		return null;
	}

	/**
	 * Records entries of an inlet that became dead messages.
	 */
	void refused(String queue, int entries) {
		if (isMeasuring()) {
			this.meter.settled(queue, new Settled(0, 0, entries, 0, 0), 0);
		}
	}

	/**
	 * Records commands, by which expired messages may have died, or dead ones were
	 * redriven by a rule.
	 */
	public void commanded(String queue, List<MessageCommand> commands, CommandReply reply) {
		if (reply.status() != LaneStatus.OK) {
			return;
		}
		int dead = 0;
		int dropped = 0;
		int redriven = 0;
		for (int i = 0; i < reply.results().size(); i++) {
			CommandReply.Result result = reply.results().get(i);
			MessageCommand command = commands.get(i);
			boolean kills = command.action() == MessageCommand.Action.EXPIRE
					|| command.action() == MessageCommand.Action.BURY;
			if (kills && result.outcome() == CommandReply.Result.Outcome.DONE && result.state() != MessageState.DEAD) {
				dead += command.argument().isEmpty() ? 0 : 1;
				dropped += command.argument().isEmpty() ? 1 : 0;
			}
			if (command.action() == MessageCommand.Action.ROUND
					&& result.outcome() == CommandReply.Result.Outcome.DONE) {
				redriven++;
			}
		}
		if (dead + dropped > 0) {
			this.meter.settled(queue, new Settled(0, 0, dead, 0, dropped), 0);
		}
		if (redriven > 0) {
			this.meter.redriven(queue, redriven);
		}
	}

}
