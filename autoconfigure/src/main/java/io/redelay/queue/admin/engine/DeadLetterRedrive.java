package io.redelay.queue.admin.engine;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.function.Function;

import io.redelay.queue.MessageState;
import io.redelay.queue.QueueException;
import io.redelay.queue.admin.DeadLetterFilter;
import io.redelay.queue.admin.RedriveResult;
import io.redelay.queue.store.CommandResult;
import io.redelay.queue.store.MessageCommand;
import io.redelay.queue.store.QueueAdminStore;

/**
 * Redrives dead messages: those that died first go first, and those that die meanwhile
 * stay dead.
 */
final class DeadLetterRedrive {

	private final QueueAdminStore store;

	private final DeadLetterReader reader;

	private final CommandSender commands;

	DeadLetterRedrive(QueueAdminStore store, DeadLetterReader reader, CommandSender commands) {
		this.store = store;
		this.reader = reader;
		this.commands = commands;
	}

	/**
	 * Redrives one message.
	 * @throws QueueException if it is not dead, or must stay dead
	 */
	void redrive(String queue, String id) {
		CommandResult result = this.commands.send(queue, MessageCommand.Action.REDRIVE, id, "");
		if (result.outcome() == CommandResult.Outcome.DONE) {
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
	RedriveResult redrive(String queue, DeadLetterFilter filter, Function<Integer, Duration> delay) {
		Instant start = StoreCalls.await(this.store.count(queue)).time();
		List<String> matching = this.reader.matching(queue, filter, start);
		List<String> uids = new ArrayList<>(
				matching.subList(Math.max(0, matching.size() - filter.limit()), matching.size()));
		Collections.reverse(uids);
		List<CommandResult> results = this.commands.redrive(queue, uids, delay);
		int redriven = 0;
		List<String> refused = new ArrayList<>();
		for (int i = 0; i < results.size(); i++) {
			CommandResult result = results.get(i);
			if (result.outcome() == CommandResult.Outcome.DONE) {
				redriven++;
			}
			else if (result.state() == MessageState.DEAD) {
				refused.add(uids.get(i));
			}
		}
		return new RedriveResult(redriven, refused);
	}

}
