package io.redelay.queue.admin.engine.deadletter;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Function;

import io.redelay.queue.MessageState;
import io.redelay.queue.QueueException;
import io.redelay.queue.admin.DeadLetterFilter;
import io.redelay.queue.admin.QueuedMessage;
import io.redelay.queue.admin.RedriveResult;
import io.redelay.queue.admin.engine.access.CommandOutcomes;
import io.redelay.queue.admin.engine.access.CommandSender;
import io.redelay.queue.admin.engine.access.StoreCalls;
import io.redelay.queue.admin.engine.message.MessageLookup;
import io.redelay.queue.script.CommandReply;
import io.redelay.queue.script.MessageCommand;
import io.redelay.queue.script.admin.AdminScripts;

/**
 * Redrives dead messages: those that died first go first, and those that die meanwhile
 * stay dead.
 *
 * @since 0.1.0
 */
public record DeadLetterRedrive(AdminScripts store, DeadLetterReader reader, MessageLookup lookup,
		CommandSender commands) {

	/**
	 * Redrives one message.
	 * @param due when it is due, as an argument of a command, or empty for at once
	 * @throws QueueException if it is not dead, or must stay dead
	 */
	public void redrive(String queue, String id, String due) {
		check(queue, id,
				this.lookup.command(queue, MessageCommand.Action.REDRIVE, CommandSender.Plan.inAnyState(id, due)));
	}

	/**
	 * Redrives one message as the next round of its queue's rule.
	 * @throws QueueException if it is not dead, or must stay dead
	 */
	public void redriveRound(String queue, String id) {
		QueuedMessage message = this.lookup.find(queue, id).orElse(null);
		CommandReply.Result result = this.lookup.command(queue, MessageCommand.Action.ROUND,
				CommandSender.Plan.inAnyState((message != null) ? message.uid() : id,
						Integer.toString((message != null) ? message.rounds() + 1 : 1)));
		if (result.state() == MessageState.DEAD && result.outcome() == CommandReply.Result.Outcome.KEPT) {
			throw new QueueException("The message '" + id + "' of the queue '" + queue + "' cannot be redriven as a"
					+ " round, for its rounds cannot be counted: its envelope was not written by Redelay. Redrive it");
		}
		check(queue, id, result);
	}

	private static void check(String queue, String id, CommandReply.Result result) {
		if (result.isDone()) {
			return;
		}
		String what = "The message '" + id + "' of the queue '" + queue + "' cannot be redriven: ";
		if (result.state() == MessageState.DEAD || result.state() == MessageState.UNKNOWN) {
			throw new QueueException(what + CommandOutcomes.reason(result));
		}
		throw new QueueException(what + "it is " + result.state()
				+ " and not dead. To have it delivered sooner, call runNow or reschedule");
	}

	/**
	 * Redrives messages.
	 * @param delay the delay of the message at a position, from 0
	 */
	public RedriveResult redrive(List<String> partitions, DeadLetterFilter filter, Function<Integer, Duration> delay) {
		Map<String, Instant> start = new LinkedHashMap<>();
		partitions
			.forEach((partition) -> start.put(partition, StoreCalls.await(this.store.count().run(partition)).time()));
		List<DeadUid> matching = this.reader.matching(start, filter);
		List<DeadUid> chosen = new ArrayList<>(
				matching.subList(Math.max(0, matching.size() - filter.limit()), matching.size()));
		Collections.reverse(chosen);
		Map<String, List<Duration>> delays = new HashMap<>();
		for (int i = 0; i < chosen.size(); i++) {
			delays.computeIfAbsent(chosen.get(i).partition(), (partition) -> new ArrayList<>()).add(delay.apply(i));
		}
		int redriven = 0;
		List<String> refused = new ArrayList<>();
		for (Map.Entry<String, List<String>> each : DeadUid.byPartition(chosen).entrySet()) {
			List<Duration> theirs = Objects.requireNonNull(delays.get(each.getKey()));
			RedriveResult result = this.commands.redrive(each.getKey(), each.getValue(), theirs::get);
			redriven += result.redriven();
			refused.addAll(result.refused());
		}
		return new RedriveResult(redriven, refused);
	}

}
