package io.redelay.queue.admin.engine;

import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;

import io.redelay.queue.MessageState;
import io.redelay.queue.QueueException;
import io.redelay.queue.admin.CommandOutcome;
import io.redelay.queue.admin.HandlerAdmin;
import io.redelay.queue.admin.HandlerStack;
import io.redelay.queue.admin.InstanceInfo;
import io.redelay.queue.admin.QueuedMessage;
import io.redelay.queue.admin.RunningHandlers;
import io.redelay.queue.admin.engine.instance.HandlerInquiry;
import io.redelay.queue.admin.engine.message.MessageLookup;
import org.jspecify.annotations.Nullable;

/**
 * Asks instances what their handlers do, and has one interrupted.
 */
record HandlerAdminTemplate(QueueAccess queues, MessageLookup lookup, HandlerInquiry inquiry) implements HandlerAdmin {

	@Override
	public RunningHandlers running() {
		return this.inquiry.list(null);
	}

	@Override
	public RunningHandlers running(String queue) {
		this.queues.check(queue);
		return this.inquiry.list(queue);
	}

	@Override
	public Optional<HandlerStack> stack(String queue, String id) {
		this.queues.check(queue);
		AdminArguments.checkId(id);
		HandlerInquiry.Found<HandlerStack> found = this.inquiry.stack(queue, id);
		if (found.value() == null && !found.silent().isEmpty()) {
			throw new QueueException(
					"It is unknown where the handler of the message '" + id + "' is: " + silence(found.silent()));
		}
		return Optional.ofNullable(found.value());
	}

	@Override
	public CommandOutcome interrupt(String queue, String id, @Nullable Long claim) {
		this.queues.check(queue);
		AdminArguments.checkId(id);
		HandlerInquiry.Found<Boolean> found = this.inquiry.interrupt(queue, id, claim);
		if (Boolean.TRUE.equals(found.value())) {
			return new CommandOutcome(MessageState.IN_FLIGHT, true, null, null);
		}
		MessageState state = this.lookup.find(queue, id).map(QueuedMessage::state).orElse(MessageState.UNKNOWN);
		String reason = !found.silent().isEmpty() ? silence(found.silent())
				: (found.value() != null) ? "its handler has returned, and nothing is left to be interrupted"
						: "no handler works on " + ((claim != null) ? "this delivery of it" : "it");
		return new CommandOutcome(state, false, null, reason);
	}

	private static String silence(List<InstanceInfo> silent) {
		return silent.stream().map((each) -> "'" + each.name() + "'").collect(Collectors.joining(", "))
				+ " did not answer within " + HandlerInquiry.LONGEST_ANSWER.toMillis() / 1000.0
				+ " s. It has ended, does not reach Redis, or has a version of Redelay that knows no such question";
	}

}
