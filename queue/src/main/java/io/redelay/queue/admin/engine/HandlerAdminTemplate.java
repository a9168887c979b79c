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
import io.redelay.queue.admin.RunningHandler;
import io.redelay.queue.admin.RunningHandlers;
import io.redelay.queue.admin.engine.instance.HandlerInquiry;
import io.redelay.queue.admin.engine.message.MessageLookup;
import org.jspecify.annotations.Nullable;

/**
 * Asks instances what their handlers do, and has one interrupted.
 */
record HandlerAdminTemplate(QueueAccess queues, MessageLookup lookup, HandlerInquiry inquiry) implements HandlerAdmin {

	@Override
	public RunningHandlers running(@Nullable String queue, boolean lines) {
		if (queue != null) {
			this.queues.check(queue);
		}
		return this.inquiry.list(queue, lines);
	}

	@Override
	public Optional<HandlerStack> stack(String queue, String id, @Nullable Long claim) {
		this.queues.check(queue);
		AdminArguments.checkId(id);
		String unknown = "It is unknown where the handler of the message '" + id + "' is: ";
		Long wanted = (claim != null) ? claim : present(queue, id, unknown);
		return (wanted != null) ? Optional.ofNullable(known(this.inquiry.stack(queue, id, wanted), unknown))
				: Optional.empty();
	}

	@Override
	public CommandOutcome interrupt(String queue, String id, @Nullable Long claim) {
		this.queues.check(queue);
		AdminArguments.checkId(id);
		Long wanted = (claim != null) ? claim : present(queue, id,
				"It is unknown whether a handler works on the message '" + id + "', and none was interrupted: ");
		Boolean interrupted = (wanted != null) ? known(this.inquiry.interrupt(queue, id, wanted),
				"It is unknown whether the handler of the message '" + id + "' was interrupted: ") : null;
		if (Boolean.TRUE.equals(interrupted)) {
			return new CommandOutcome(MessageState.IN_FLIGHT, true, null, null);
		}
		MessageState state = this.lookup.find(queue, id).map(QueuedMessage::state).orElse(MessageState.UNKNOWN);
		String reason = (interrupted != null) ? "its handler has returned, and nothing is left to be interrupted"
				: "no handler works on " + ((claim != null) ? "this delivery of it" : "it");
		return new CommandOutcome(state, false, null, reason);
	}

	/**
	 * Returns the claim of the handler that began last.
	 */
	private @Nullable Long present(String queue, String id, String unknown) {
		RunningHandler handler = known(this.inquiry.present(queue, id), unknown);
		return (handler != null) ? handler.claim() : null;
	}

	private static <T> @Nullable T known(HandlerInquiry.Found<T> found, String unknown) {
		if (found.value() == null && !found.silent().isEmpty()) {
			throw new QueueException(unknown + silence(found.silent()));
		}
		return found.value();
	}

	private static String silence(List<InstanceInfo> silent) {
		return silent.stream().map((each) -> "'" + each.name() + "'").collect(Collectors.joining(", "))
				+ " did not answer within " + HandlerInquiry.LONGEST_ANSWER.toMillis() / 1000.0
				+ " s. It has ended, does not reach Redis, is busy with other questions, or has a version of Redelay"
				+ " that knows no such question";
	}

}
