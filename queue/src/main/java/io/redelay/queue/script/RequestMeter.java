package io.redelay.queue.script;

import java.util.List;
import java.util.function.Predicate;

import io.redelay.queue.MessageState;
import io.redelay.queue.SendOutcome;
import io.redelay.queue.measure.QueueMeters;
import io.redelay.queue.measure.Settled;
import io.redelay.queue.message.Completion;
import io.redelay.queue.message.CompletionSection;
import io.redelay.queue.message.NextMessage;
import io.redelay.queue.message.Settlement;
import io.redelay.queue.message.UnhandledEnd;
import io.redelay.queue.request.LaneStatus;
import io.redelay.queue.request.SendReply;

/**
 * Records in the meters what calls of scripts did, and how long they took.
 * <p>
 * Safe for use by many threads.
 *
 * @since 0.1.0
 */
public final class RequestMeter implements ScriptObserver {

	private final QueueMeters meters;

	/**
	 * Creates an observer.
	 * @param meters record the calls
	 */
	public RequestMeter(QueueMeters meters) {
		this.meters = meters;
	}

	@Override
	public boolean needsSends() {
		return true;
	}

	@Override
	public void called(ScriptCall call) {
		if (call instanceof ScriptCall.Send send) {
			sent(send);
		}
		else if (call instanceof ScriptCall.Claim claim) {
			claimed(claim);
		}
		else if (call instanceof ScriptCall.Steer steer && steer.reply().status() == LaneStatus.OK) {
			commanded(steer);
		}
		else if (call instanceof ScriptCall.Filter filter) {
			this.meters.record((meter) -> meter.leftOut(filter.queue(), filter.leftOut()));
		}
		else if (call instanceof ScriptCall.Refusal refusal) {
			settled(refusal.queue(), new Settled(0, 0, refusal.dead().size(), 0, 0), 0);
		}
	}

	/**
	 * Records sent messages, unless the send was repeated after Redis went back in time.
	 */
	private void sent(ScriptCall.Send send) {
		SendReply reply = send.reply();
		if (reply != null && reply.status() == LaneStatus.OK && !send.request().again()) {
			int added = send.request().messages().size() - notAdded(reply);
			this.meters.record((meter) -> meter.sent(send.queue(), added, send.nanos()));
		}
	}

	private static int notAdded(SendReply reply) {
		int count = 0;
		for (SendReply.Fate fate : reply.fates().values()) {
			if (fate.outcome() != SendOutcome.ADDED && fate.outcome() != SendOutcome.REPLACED) {
				count++;
			}
		}
		return count;
	}

	private void claimed(ScriptCall.Claim claim) {
		ClaimRequest request = claim.request();
		ClaimReply reply = claim.reply();
		if (reply.status() != LaneStatus.OK) {
			return;
		}
		if (request.wanted() > 0 || request.suspect()) {
			this.meters.record((meter) -> meter.claimed(claim.queue(), reply.messages().size(), claim.nanos()));
		}
		if (request.settlements().isEmpty()) {
			return;
		}
		settled(claim.queue(), settled(request.settlements(), reply), claim.nanos());
		if (reply.hasNotes()) {
			// Messages to be sent together may be in the outbox, and are counted when
			// they are sent from there.
			return;
		}
		for (Settlement settlement : request.settlements()) {
			Completion completion = settlement.completion();
			if (completion != null && !completion.isAgain() && !reply.refused().contains(settlement.uid())) {
				sentTogether(completion, claim.together());
			}
		}
	}

	private void sentTogether(Completion completion, Predicate<NextMessage> together) {
		for (CompletionSection section : completion.sections()) {
			if (section instanceof NextMessage next && together.test(next)) {
				this.meters.record((meter) -> meter.sent(next.queue(), 1, 0));
			}
		}
	}

	private void settled(String queue, Settled settled, long nanos) {
		if (settled.total() > 0) {
			this.meters.record((meter) -> meter.settled(queue, settled, nanos));
		}
	}

	private static Settled settled(List<Settlement> settlements, ClaimReply reply) {
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
					UnhandledEnd otherwise = UnhandledEnd.of(settlement);
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
		return new Settled(acknowledged, retried, dead, returned, others);
	}

	/**
	 * Records commands, by which expired messages may have died, or dead ones were
	 * redriven by a rule.
	 */
	private void commanded(ScriptCall.Steer steer) {
		int dead = 0;
		int dropped = 0;
		int redriven = 0;
		List<CommandReply.Result> results = steer.reply().results();
		for (int i = 0; i < results.size(); i++) {
			MessageCommand command = steer.commands().get(i);
			if (results.get(i).outcome() != CommandReply.Result.Outcome.DONE) {
				continue;
			}
			switch (command.action()) {
				case EXPIRE, BURY -> {
					if (results.get(i).state() != MessageState.DEAD) {
						dead += command.argument().isEmpty() ? 0 : 1;
						dropped += command.argument().isEmpty() ? 1 : 0;
					}
				}
				case ROUND -> redriven++;
				default -> {
				}
			}
		}
		settled(steer.queue(), new Settled(0, 0, dead, 0, dropped), 0);
		int rounds = redriven;
		if (rounds > 0) {
			this.meters.record((meter) -> meter.redriven(steer.queue(), rounds));
		}
	}

}
