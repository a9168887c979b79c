package io.redelay.queue.actuate;

import org.jspecify.annotations.Nullable;

import org.springframework.boot.actuate.endpoint.SecurityContext;
import org.springframework.boot.actuate.endpoint.annotation.DeleteOperation;
import org.springframework.boot.actuate.endpoint.annotation.ReadOperation;
import org.springframework.boot.actuate.endpoint.annotation.Selector;
import org.springframework.boot.actuate.endpoint.annotation.WriteOperation;
import org.springframework.boot.actuate.endpoint.web.WebEndpointResponse;
import org.springframework.boot.actuate.endpoint.web.annotation.EndpointWebExtension;

/**
 * The endpoint {@code queues} over HTTP. Each operation is one level of its paths; the
 * path segments select the data.
 *
 * @since 0.1.0
 */
@EndpointWebExtension(endpoint = QueuesEndpoint.class)
public final class QueuesWebExtension {

	/**
	 * The path segment in place of a queue for data that belongs to no single one. No
	 * queue has this name.
	 */
	private static final String ALL = "-";

	private static final String JOBS = "jobs";

	private static final String LIMITS = "limits";

	private final QueueReads queues;

	private final MessageReads messages;

	private final DirectoryReads directory;

	private final QueueWrites writes;

	/**
	 * Creates the extension.
	 * @param queues reads queues
	 * @param messages reads messages
	 * @param directory reads data that belongs to no single queue
	 * @param writes acts on queues and messages
	 */
	public QueuesWebExtension(QueueReads queues, MessageReads messages, DirectoryReads directory, QueueWrites writes) {
		this.queues = queues;
		this.messages = messages;
		this.directory = directory;
		this.writes = writes;
	}

	/**
	 * {@code GET queues}.
	 * @param user the user
	 * @param page the number of the page
	 * @param size how many queues it can hold
	 * @param name a part of the names of the queues
	 * @param sort the order
	 * @return a {@link QueueList}
	 */
	@ReadOperation
	public WebEndpointResponse<Object> queues(SecurityContext user, @Nullable String page, @Nullable String size,
			@Nullable String name, @Nullable String sort) {
		return Responses.of(() -> this.queues.queues(user, page, size, name, sort));
	}

	/**
	 * {@code GET queues/{queue}}.
	 * @param user the user
	 * @param queue its name
	 * @return a {@link QueueDetail}
	 */
	@ReadOperation
	public WebEndpointResponse<Object> queue(SecurityContext user, @Selector String queue) {
		return Responses.of(() -> this.queues.queue(user, queue));
	}

	/**
	 * {@code GET queues/{queue}/{view}}. The parameters behind {@code size} are those of
	 * {@link FilterParameters}, and those of a search.
	 * @param user the user
	 * @param queue its name, or {@code -}
	 * @param view the part of it to show
	 * @param page the number of the page
	 * @param size how many it can hold
	 * @param name a part of the names of topics
	 * @param state states of messages
	 * @param id an id or uid
	 * @param tag a tag
	 * @param header a header and its value
	 * @param field a field of the payload and its value
	 * @param type the name of the payload's type
	 * @param reason why messages are dead
	 * @param exception the type of their failure
	 * @param text a part of the text of their failure
	 * @param sentBefore the time they were sent before
	 * @param sentAfter the earliest time they were sent
	 * @param dueBefore the time they are due before
	 * @param dueAfter the earliest time they are due
	 * @param olderThan how long ago they were sent at least
	 * @param minFailures how often their handling has failed at least
	 * @param cursor where the search goes on
	 * @param limit how many messages it gives
	 * @return the requested data
	 */
	@ReadOperation
	public WebEndpointResponse<Object> view(SecurityContext user, @Selector String queue, @Selector String view,
			@Nullable String page, @Nullable String size, @Nullable String name, @Nullable String state,
			@Nullable String id, @Nullable String tag, @Nullable String header, @Nullable String field,
			@Nullable String type, @Nullable String reason, @Nullable String exception, @Nullable String text,
			@Nullable String sentBefore, @Nullable String sentAfter, @Nullable String dueBefore,
			@Nullable String dueAfter, @Nullable String olderThan, @Nullable String minFailures,
			@Nullable String cursor, @Nullable String limit) {
		if (queue.equals(ALL)) {
			return Responses.of(() -> view.equals(JOBS) ? this.writes.jobs(user, queue, page, size)
					: directory(user, view, page, size, name));
		}
		FilterParameters filter = new FilterParameters(state, id, tag, header, field, type, reason, exception, text,
				sentBefore, sentAfter, dueBefore, dueAfter, olderThan, minFailures);
		return Responses.of(() -> switch (view) {
			case JOBS -> this.writes.jobs(user, queue, page, size);
			case "diagnosis" -> this.queues.diagnosis(queue);
			case "history" -> this.queues.history(queue);
			case "keys" -> this.queues.keys(queue);
			case "check" -> this.queues.check(queue);
			case LIMITS -> this.queues.limits(queue);
			case "causes" -> this.queues.causes(queue);
			case "messages" -> this.messages.messages(user, queue, filter, page, size, cursor, limit);
			case "running" -> this.messages.running(queue, page, size);
			case "bundles" -> this.queues.bundles(queue, page, size);
			case "recurring" -> this.directory.recurringOf(user, queue, page, size);
			default -> throw unknown(queue, view);
		});
	}

	private Object directory(SecurityContext user, String view, @Nullable String page, @Nullable String size,
			@Nullable String name) {
		return switch (view) {
			case "instances" -> this.directory.instances(page, size);
			case "topics" -> this.directory.topics(page, size, name);
			case "recurring" -> this.directory.recurring(user, page, size);
			default -> throw unknown(ALL, view);
		};
	}

	/**
	 * {@code GET queues/{queue}/{view}/{id}}.
	 * @param user the user
	 * @param queue its name, or {@code -}
	 * @param view the part of it to show
	 * @param id the id within that part
	 * @return the requested data
	 */
	@ReadOperation
	public WebEndpointResponse<Object> item(SecurityContext user, @Selector String queue, @Selector String view,
			@Selector String id) {
		return Responses.of(() -> {
			if (queue.equals(ALL) && view.equals("topics")) {
				return this.directory.topic(id);
			}
			if (view.equals(JOBS)) {
				return this.writes.job(user, queue, id);
			}
			if (!queue.equals(ALL) && view.equals("messages")) {
				return this.messages.message(user, queue, id);
			}
			throw unknown(queue, view);
		});
	}

	/**
	 * {@code POST queues/{queue}/{action}}: pauses, resumes, closes or reopens a queue;
	 * or changes its limits, see {@link LimitParameters}; or starts a job with
	 * {@code jobs}, see {@link JobParameters} and {@link FilterParameters}.
	 * @param user the user
	 * @param queue its name
	 * @param view what to do
	 * @param action what a job does with each message
	 * @param state states of messages
	 * @param id an id or uid
	 * @param tag a tag
	 * @param header a header and its value
	 * @param field a field of the payload and its value
	 * @param type the name of the payload's type
	 * @param reason why messages are dead; of a job that buries, why it does
	 * @param exception the type of their failure
	 * @param text a part of the text of their failure
	 * @param sentBefore the time they were sent before
	 * @param sentAfter the earliest time they were sent
	 * @param dueBefore the time they are due before
	 * @param dueAfter the earliest time they are due
	 * @param olderThan how long ago they were sent at least
	 * @param minFailures how often their handling has failed at least
	 * @param perSecond with how many messages a second
	 * @param limit with how many messages at most
	 * @param delay for how long messages are rescheduled
	 * @param due for when messages are rescheduled
	 * @param payload the new payload
	 * @param attempts how often messages are delivered from now on
	 * @param failures how many failures count
	 * @param priority the new priority
	 * @param confirm the name of the queue
	 * @param rateLimit how many messages all instances claim in a window
	 * @param maxInFlight how many messages all instances have in hand
	 * @param keyRateLimit the rate of each fairness key
	 * @param keyMaxInFlight how many each fairness key has in hand
	 * @param orderingKeyMaxLength how many the line of each ordering key has
	 * @return the new state of the queue, or a {@link JobView}
	 */
	@WriteOperation
	public WebEndpointResponse<Object> act(SecurityContext user, @Selector String queue, @Selector String view,
			@Nullable String action, @Nullable String state, @Nullable String id, @Nullable String tag,
			@Nullable String header, @Nullable String field, @Nullable String type, @Nullable String reason,
			@Nullable String exception, @Nullable String text, @Nullable String sentBefore, @Nullable String sentAfter,
			@Nullable String dueBefore, @Nullable String dueAfter, @Nullable String olderThan,
			@Nullable String minFailures, @Nullable String perSecond, @Nullable String limit, @Nullable String delay,
			@Nullable String due, @Nullable String payload, @Nullable String attempts, @Nullable String failures,
			@Nullable String priority, @Nullable String confirm, @Nullable String rateLimit,
			@Nullable String maxInFlight, @Nullable String keyRateLimit, @Nullable String keyMaxInFlight,
			@Nullable String orderingKeyMaxLength) {
		if (view.equals(LIMITS) && !queue.equals(ALL)) {
			LimitParameters limits = new LimitParameters(rateLimit, maxInFlight, keyRateLimit, keyMaxInFlight,
					orderingKeyMaxLength);
			return Responses.of(() -> this.writes.changeLimits(user, queue, limits));
		}
		if (!view.equals(JOBS) || queue.equals(ALL)) {
			return Responses.of(() -> this.writes.queue(user, queue, view));
		}
		boolean buries = "bury".equalsIgnoreCase(action);
		FilterParameters filter = new FilterParameters(state, id, tag, header, field, type, buries ? null : reason,
				exception, text, sentBefore, sentAfter, dueBefore, dueAfter, olderThan, minFailures);
		JobParameters job = new JobParameters(action, filter, perSecond, limit, delay, due, buries ? reason : null,
				new ChangeParameters(payload, attempts, failures, priority), confirm);
		return Responses.of(202, () -> this.writes.startJob(user, queue, job));
	}

	/**
	 * {@code POST queues/{queue}/{view}/{id}/{action}}: acts on a message, a recurring
	 * message or a topic.
	 * @param user the user
	 * @param queue its name, or {@code -}
	 * @param view {@code messages}, {@code recurring} or {@code topics}
	 * @param id its id or name
	 * @param action what to do
	 * @param delay for how long a message is rescheduled
	 * @param due for when a message is rescheduled
	 * @param reason why a message is buried
	 * @param payload the new payload
	 * @param attempts how often the message is delivered from now on
	 * @param failures how many failures count
	 * @param priority the new priority
	 * @param group the group of a topic
	 * @param since from when on a topic is replayed
	 * @return the outcome
	 */
	@WriteOperation
	public WebEndpointResponse<Object> actOnItem(SecurityContext user, @Selector String queue, @Selector String view,
			@Selector String id, @Selector String action, @Nullable String delay, @Nullable String due,
			@Nullable String reason, @Nullable String payload, @Nullable String attempts, @Nullable String failures,
			@Nullable String priority, @Nullable String group, @Nullable String since) {
		return Responses.of(() -> {
			if (queue.equals(ALL) && view.equals("topics") && action.equals("replay")) {
				return this.writes.replay(user, id, group, since);
			}
			if (!queue.equals(ALL) && view.equals("recurring")) {
				return this.writes.recurring(user, queue, id, action);
			}
			if (!queue.equals(ALL) && view.equals("messages")) {
				return this.writes.message(user, queue, id, action, delay, due, reason,
						new ChangeParameters(payload, attempts, failures, priority));
			}
			throw unknown(queue, view);
		});
	}

	/**
	 * {@code DELETE queues/{queue}}: deletes a queue with all its messages.
	 * @param user the user
	 * @param queue its name
	 * @param confirm its name again
	 * @return that it is deleted
	 */
	@DeleteOperation
	public WebEndpointResponse<Object> deleteQueue(SecurityContext user, @Selector String queue,
			@Nullable String confirm) {
		return Responses.of(() -> this.writes.deleteQueue(user, queue, confirm));
	}

	/**
	 * {@code DELETE queues/{queue}/limits}: removes all limits that are set for all
	 * instances.
	 * @param user the user
	 * @param queue its name
	 * @param view {@code limits}
	 * @return the limits then
	 */
	@DeleteOperation
	public WebEndpointResponse<Object> deleteView(SecurityContext user, @Selector String queue, @Selector String view) {
		return Responses.of(() -> {
			if (queue.equals(ALL) || !view.equals(LIMITS)) {
				throw unknown(queue, view);
			}
			return this.writes.clearLimits(user, queue);
		});
	}

	/**
	 * {@code DELETE queues/{queue}/{view}/{id}}: deletes a message, a recurring message,
	 * a topic or one of its groups, or stops a job.
	 * @param user the user
	 * @param queue its name, or {@code -}
	 * @param view {@code messages}, {@code recurring}, {@code jobs} or {@code topics}
	 * @param id its id or name
	 * @param group the group of a topic
	 * @param confirm the name of the topic or group again
	 * @return the outcome
	 */
	@DeleteOperation
	public WebEndpointResponse<Object> deleteItem(SecurityContext user, @Selector String queue, @Selector String view,
			@Selector String id, @Nullable String group, @Nullable String confirm) {
		return Responses.of(() -> {
			if (view.equals(JOBS)) {
				return this.writes.stopJob(user, queue, id);
			}
			if (queue.equals(ALL) && view.equals("topics")) {
				return this.writes.deleteTopic(user, id, group, confirm);
			}
			if (!queue.equals(ALL) && view.equals("recurring")) {
				return this.writes.recurring(user, queue, id, "remove");
			}
			if (!queue.equals(ALL) && view.equals("messages")) {
				return this.writes.deleteMessage(user, queue, id);
			}
			throw unknown(queue, view);
		});
	}

	private static RequestException unknown(String queue, String view) {
		return RequestException.unknownPath("There is nothing at " + ErrorView.quote(queue + "/" + view));
	}

}
