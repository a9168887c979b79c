package io.redelay.queue.actuate;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.BooleanSupplier;
import java.util.function.Predicate;

import io.redelay.queue.MessageState;
import io.redelay.queue.RedriveRule;
import io.redelay.queue.admin.HandlerStack;
import io.redelay.queue.admin.MessageFilter;
import io.redelay.queue.admin.QueueAdmin;
import io.redelay.queue.admin.QueuePage;
import io.redelay.queue.admin.QueueSnapshots;
import io.redelay.queue.admin.QueuedMessage;
import io.redelay.queue.admin.RedriveStatus;
import io.redelay.queue.admin.RunningHandler;
import io.redelay.queue.admin.RunningHandlers;
import io.redelay.queue.admin.SearchPage;
import io.redelay.queue.admin.engine.message.MessageMatcher;
import org.jspecify.annotations.Nullable;

import org.springframework.boot.actuate.endpoint.SecurityContext;

/**
 * The reads of messages for the endpoint {@code queues}.
 *
 * @since 0.1.0
 */
public final class MessageReads {

	private static final int MAX_MESSAGES = 100;

	private static final int DEFAULT_MESSAGES = 50;

	/**
	 * After how many messages and bytes a search by their content ends with the messages
	 * found so far.
	 */
	private static final int MAX_EXAMINED = 1000;

	private static final long MAX_BYTES = 4 * 1024 * 1024;

	private static final int STEP = 200;

	private final QueueAdmin admin;

	private final EndpointRights rights;

	private final MessageMasking masking;

	/**
	 * Creates the reads.
	 * @param admin looks at queues
	 * @param rights the rights of users
	 * @param masking masks payloads and headers
	 */
	public MessageReads(QueueAdmin admin, EndpointRights rights, MessageMasking masking) {
		this.admin = admin;
		this.rights = rights;
		this.masking = masking;
	}

	/**
	 * A page of the messages in a state, or a step of a search.
	 */
	MessageList messages(SecurityContext user, String queue, RequestParameters parameters) {
		QueueReads.checkQueue(queue);
		FilterParameters filter = new FilterParameters(parameters);
		String cursor = parameters.get("cursor");
		String limit = parameters.get("limit");
		return (filter.isSearch() || cursor != null || limit != null) ? search(user, queue, filter, cursor, limit)
				: browse(queue, filter.state(), parameters.get("page"), parameters.get("size"));
	}

	/**
	 * A step of a search over all queues.
	 * @param look the last one
	 */
	MessageList everywhere(QueueSnapshots.Look look, RequestParameters parameters) {
		SearchOfAllQueues search = new SearchOfAllQueues(this, this.admin.queues().names(), look.queues(), parameters);
		SearchPage found = search.step(System::nanoTime);
		Map<String, List<QueuedMessage>> byQueue = new LinkedHashMap<>();
		found.messages()
			.forEach((message) -> byQueue.computeIfAbsent(message.queue(), (queue) -> new ArrayList<>()).add(message));
		List<MessageView> rows = new ArrayList<>();
		InstanceNames names = names();
		byQueue.forEach((queue, messages) -> {
			RedriveRule rule = rule(queue, messages);
			messages.forEach((message) -> rows.add(MessageView.row(message, names, rule)));
		});
		return new MessageList(rows, null, null, null, found.cursor(), found.examined(), found.isComplete(),
				search.isByTheLastLook() ? QueueReads.lookedAt(look, this.admin.queues().now()) : null,
				search.failed().isEmpty() ? null : search.failed());
	}

	/**
	 * The messages that handlers have in hand, those first whose handlers were called
	 * first. The messages of instances that do not answer come last.
	 * @param queue the queue, or {@code null} for all, whose silent instances are only
	 * named
	 */
	Map<String, Object> running(SecurityContext user, @Nullable String queue, @Nullable String page,
			@Nullable String size) {
		Paging paging = Paging.of(page, size, MAX_MESSAGES);
		if (queue != null) {
			QueueReads.checkQueue(queue);
		}
		boolean stacks = this.rights.seesStacks(user);
		RunningHandlers running = this.admin.handlers().running(queue, stacks);
		List<RunningHandler> handlers = running.handlers();
		List<Object> rows = new ArrayList<>(
				paging.of(handlers).stream().map((handler) -> HandlerView.of(handler, stacks)).toList());
		boolean hasNext = paging.hasNext(handlers.size());
		Map<String, Object> view = new LinkedHashMap<>();
		view.put("time", this.admin.queues().now());
		view.put("page", paging.page());
		view.put("size", paging.size());
		view.put("hasNext", hasNext);
		view.put("total", handlers.size());
		view.put("omitted", running.omitted());
		view.put("silent", running.silent().stream().map(HandlerView::silent).toList());
		if (queue != null && !hasNext) {
			long known = handlers.stream().filter((handler) -> !handler.acknowledged()).count() + running.omitted();
			long rest = Math.max(0, this.admin.queues().info(queue).inFlight() - known);
			boolean complete = running.silent().isEmpty();
			List<MessageView> others = (rest > 0 && !complete) ? ofSilent(queue, running) : List.of();
			rows.addAll(others);
			view.put(complete ? "waiting" : "notKnown", Math.max(0, rest - others.size()));
		}
		view.put("messages", rows);
		return view;
	}

	/**
	 * Messages in hand of instances that did not answer, or are not known.
	 */
	private List<MessageView> ofSilent(String queue, RunningHandlers running) {
		return rows(queue,
				this.admin.messages()
					.browse(queue, MessageState.IN_FLIGHT, 0, MAX_MESSAGES)
					.messages()
					.stream()
					.filter((message) -> message.instance() == null || !running.answered().contains(message.instance()))
					.toList());
	}

	/**
	 * Where the code of a handler is.
	 */
	Map<String, Object> stack(SecurityContext user, String queue, String id, @Nullable String claim) {
		this.rights.checkStacks(user);
		QueueReads.checkQueue(queue);
		HandlerStack stack = Parameters.isId(id)
				? this.admin.handlers().stack(queue, id, QueueWrites.claim(claim)).orElse(null) : null;
		if (stack == null) {
			throw RequestException.unknownHandler(queue, id);
		}
		Map<String, Object> view = new LinkedHashMap<>();
		view.put("time", this.admin.queues().now());
		view.putAll(RecordView.of(stack));
		return view;
	}

	private MessageList browse(String queue, @Nullable String state, @Nullable String page, @Nullable String size) {
		MessageState wanted = Parameters.word("state", state, FilterParameters.STATES);
		Paging paging = Paging.of(page, size, MAX_MESSAGES);
		QueuePage found = this.admin.messages()
			.browse(queue, (wanted != null) ? wanted : MessageState.READY, paging.page(), paging.size());
		return new MessageList(rows(queue, found.messages()), paging.page(), paging.size(), found.hasNext(), null, null,
				null, null);
	}

	private MessageList search(SecurityContext user, String queue, FilterParameters parameters, @Nullable String cursor,
			@Nullable String limit) {
		MessageFilter filter = parameters.toFilter(this.admin.queues()::now);
		int most = Parameters.number("limit", limit, 1, MAX_MESSAGES, DEFAULT_MESSAGES);
		String from = Parameters.text("cursor", cursor);
		SearchPage found;
		if (parameters.looksInside()) {
			if (!this.rights.seesPayloads(user)) {
				throw RequestException.forbidden("You may not search by headers and payloads, for you may not see them:"
						+ " see 'management.endpoint.queues.show-payloads'");
			}
			MessageMatcher matcher = new MessageMatcher(filter);
			found = searchShown(queue, parameters.outside().toFilter(this.admin.queues()::now), from, most,
					(message) -> this.masking.matches(matcher, message), new Budget(() -> true));
		}
		else {
			found = search(queue, filter, from, most);
		}
		return new MessageList(rows(queue, found.messages()), null, null, null, found.cursor(), found.examined(),
				found.isComplete(), null);
	}

	/**
	 * Searches by the shown parts of messages. The search in Redis does not look at their
	 * content: its progress would reveal whether a message has a certain masked value.
	 * @param budget how much may be read, in one step at least
	 */
	SearchPage searchShown(String queue, MessageFilter outside, @Nullable String cursor, int limit,
			Predicate<QueuedMessage> shown, Budget budget) {
		List<QueuedMessage> found = new ArrayList<>();
		String next = cursor;
		int examined = 0;
		do {
			int room = limit - found.size();
			SearchPage step = search(queue, outside, next, STEP);
			List<QueuedMessage> matching = step.messages().stream().filter(shown).toList();
			if (matching.size() > room) {
				// The messages that do not fit would be lost: take a smaller step
				// instead.
				budget.read(step);
				step = search(queue, outside, next, room);
				matching = step.messages().stream().filter(shown).toList();
			}
			found.addAll(matching);
			examined += step.examined();
			budget.take(step);
			next = step.cursor();
		}
		while (next != null && found.size() < limit && budget.isLeft());
		return new SearchPage(List.copyOf(found), next, examined);
	}

	SearchPage search(String queue, MessageFilter filter, @Nullable String cursor, int limit) {
		try {
			return this.admin.messages().search(queue, filter, cursor, limit);
		}
		catch (IllegalArgumentException ex) {
			if (cursor != null) {
				throw RequestException.badParameter("cursor",
						"'cursor' must be one that a search of this queue with the same filter gave: "
								+ ErrorView.quote(cursor));
			}
			throw ex;
		}
	}

	/**
	 * One message, with all that is known of it.
	 */
	MessageView message(SecurityContext user, String queue, String id) {
		QueueReads.checkQueue(queue);
		QueuedMessage message = Parameters.isId(id) ? this.admin.messages().find(queue, id).orElse(null) : null;
		if (message == null) {
			throw RequestException.unknownMessage(queue, id);
		}
		return MessageView.full(message, names(), rule(queue, List.of(message)),
				this.rights.seesPayloads(user) ? this.masking : null);
	}

	private List<MessageView> rows(String queue, List<QueuedMessage> messages) {
		InstanceNames names = names();
		RedriveRule rule = rule(queue, messages);
		return messages.stream().map((message) -> MessageView.row(message, names, rule)).toList();
	}

	/**
	 * The rule by which dead messages of a queue are redriven, if there is one; read only
	 * if one of them is shown.
	 */
	private @Nullable RedriveRule rule(String queue, List<QueuedMessage> messages) {
		boolean isShown = messages.stream().anyMatch((message) -> message.state() == MessageState.DEAD);
		return isShown ? this.admin.deadLetters().redriveStatus(queue).map(RedriveStatus::rule).orElse(null) : null;
	}

	private InstanceNames names() {
		return new InstanceNames(this.admin.queues()::instances);
	}

	/**
	 * How much a request may read yet, in all queues together.
	 */
	static final class Budget {

		private final BooleanSupplier inTime;

		private int examined;

		private long bytes;

		/**
		 * Creates a full one.
		 * @param inTime whether there is time left
		 */
		Budget(BooleanSupplier inTime) {
			this.inTime = inTime;
		}

		SearchPage take(SearchPage step) {
			this.examined += step.examined();
			read(step);
			return step;
		}

		void read(SearchPage step) {
			step.messages().forEach((message) -> this.bytes += message.payload().length);
		}

		int examined() {
			return this.examined;
		}

		boolean isLeft() {
			return this.examined < MAX_EXAMINED && this.bytes < MAX_BYTES && this.inTime.getAsBoolean();
		}

	}

}
