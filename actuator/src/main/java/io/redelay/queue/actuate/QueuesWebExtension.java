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

	private static final String RUNNING = "running";

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
	 * @param show which of them: {@code trouble}, {@code busy}, {@code scheduled} or
	 * {@code dead}
	 * @return a {@link QueueList}
	 */
	@ReadOperation
	public WebEndpointResponse<Object> queues(SecurityContext user, @Nullable String page, @Nullable String size,
			@Nullable String name, @Nullable String sort, @Nullable String show) {
		return Responses.read(() -> this.queues.queues(user, page, size, name, sort, show));
	}

	/**
	 * {@code GET queues/{queue}}.
	 * @param user the user
	 * @param queue its name
	 * @return a {@link QueueDetail}
	 */
	@ReadOperation
	public WebEndpointResponse<Object> queue(SecurityContext user, @Selector String queue) {
		return Responses.read(() -> this.queues.queue(user, queue));
	}

	/**
	 * {@code GET queues/{queue}/{view}}.
	 * @param user the user
	 * @param queue its name, or {@code -}
	 * @param view the part of it to show
	 * @param page the number of the page
	 * @param size how many entries it can hold
	 * @param name of topics, a part of their names
	 * @param parameters of messages, what chooses among them, and {@code cursor} and
	 * {@code limit} of a search; of a history {@code span}; of a calendar {@code span}
	 * and {@code zone}
	 * @return the requested data
	 */
	@ReadOperation
	public WebEndpointResponse<Object> view(SecurityContext user, @Selector String queue, @Selector String view,
			@Nullable String page, @Nullable String size, @Nullable String name,
			@Nullable RequestParameters parameters) {
		if (queue.equals(ALL)) {
			return Responses.read(() -> switch (view) {
				case JOBS -> this.writes.jobs(user, queue, page, size);
				case RUNNING -> this.messages.running(user, null, page, size);
				case "messages" -> this.messages.everywhere(this.queues.latest(), required(parameters, queue, view));
				default -> directory(user, view, page, size, name);
			});
		}
		return Responses.read(() -> switch (view) {
			case JOBS -> this.writes.jobs(user, queue, page, size);
			case "diagnosis" -> this.queues.diagnosis(queue);
			case "history" -> this.queues.history(queue, parameters);
			case "calendar" -> this.queues.calendar(queue, required(parameters, queue, view));
			case "keys" -> this.queues.keys(queue);
			case "check" -> this.queues.check(queue);
			case LIMITS -> this.queues.limits(queue);
			case "causes" -> this.queues.causes(queue);
			case "messages" -> this.messages.messages(user, queue, required(parameters, queue, view));
			case RUNNING -> this.messages.running(user, queue, page, size);
			case "bundles" -> this.queues.bundles(queue, page, size);
			case "recurring" -> this.directory.recurringOf(user, queue, page, size);
			default -> throw unknown(queue, view);
		});
	}

	private Object directory(SecurityContext user, String view, @Nullable String page, @Nullable String size,
			@Nullable String name) {
		return switch (view) {
			case "status" -> this.queues.status();
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
	 * @param claim of a running message, the number of its claim
	 * @return the requested data
	 */
	@ReadOperation
	public WebEndpointResponse<Object> item(SecurityContext user, @Selector String queue, @Selector String view,
			@Selector String id, @Nullable String claim) {
		return Responses.read(() -> {
			if (queue.equals(ALL) && view.equals("topics")) {
				return this.directory.topic(id);
			}
			if (view.equals(JOBS)) {
				return this.writes.job(user, queue, id);
			}
			if (!queue.equals(ALL) && view.equals("messages")) {
				return this.messages.message(user, queue, id);
			}
			if (!queue.equals(ALL) && view.equals(RUNNING)) {
				return this.messages.stack(user, queue, id, claim);
			}
			throw unknown(queue, view);
		});
	}

	/**
	 * {@code POST queues/{queue}/{action}}: pauses, resumes, closes or reopens a queue,
	 * changes its limits, or starts a job.
	 * @param user the user
	 * @param queue its name
	 * @param view what to do
	 * @param parameters the limits; or the {@code action} of the job, what chooses among
	 * messages, {@code perSecond}, {@code limit}, {@code delay}, {@code due},
	 * {@code spread}, what to change, and {@code confirm}, the name of the queue
	 * @return the new state of the queue, its limits, or a {@link JobView}
	 */
	@WriteOperation
	public WebEndpointResponse<Object> act(SecurityContext user, @Selector String queue, @Selector String view,
			@Nullable RequestParameters parameters) {
		if (view.equals(LIMITS) && !queue.equals(ALL)) {
			return Responses.of(() -> this.writes.changeLimits(user, queue,
					new LimitParameters(required(parameters, queue, view))));
		}
		if (!view.equals(JOBS) || queue.equals(ALL)) {
			return Responses.of(() -> this.writes.queue(user, queue, view));
		}
		return Responses.of(202,
				() -> this.writes.startJob(user, queue, new JobParameters(required(parameters, queue, view))));
	}

	/**
	 * {@code POST queues/{queue}/{view}/{id}/{action}}: acts on a message, a recurring
	 * message or a topic.
	 * @param user the user
	 * @param queue its name, or {@code -}
	 * @param view {@code messages}, {@code recurring} or {@code topics}
	 * @param id its id or name
	 * @param action what to do
	 * @param parameters of a message {@code delay}, {@code due}, {@code reason},
	 * {@code claim} and what to change; of a topic the {@code group}, and {@code since}
	 * when it is replayed
	 * @return the outcome
	 */
	@WriteOperation
	public WebEndpointResponse<Object> actOnItem(SecurityContext user, @Selector String queue, @Selector String view,
			@Selector String id, @Selector String action, @Nullable RequestParameters parameters) {
		return Responses.of(() -> {
			if (queue.equals(ALL) && view.equals("topics") && action.equals("replay")) {
				RequestParameters given = required(parameters, queue, view);
				return this.writes.replay(user, id, given.get("group"), given.get("since"));
			}
			if (!queue.equals(ALL) && view.equals("recurring")) {
				return this.writes.recurring(user, queue, id, action);
			}
			if (!queue.equals(ALL) && view.equals("messages")) {
				return this.writes.message(user, queue, id, action, required(parameters, queue, view));
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

	/**
	 * The parameters, which are unknown where Boot does not call
	 * {@link RequestParametersAdvisor}: below {@code /cloudfoundryapplication}. A request
	 * for some messages must not be carried out on all of them.
	 */
	private static RequestParameters required(@Nullable RequestParameters parameters, String queue, String view) {
		if (parameters == null) {
			throw RequestException.unknownPath(ErrorView.quote(queue + "/" + view)
					+ " is not below this path, where parameters cannot be read: request it below the base path of"
					+ " the actuator");
		}
		return parameters;
	}

	private static RequestException unknown(String queue, String view) {
		return RequestException.unknownPath("There is nothing at " + ErrorView.quote(queue + "/" + view));
	}

}
