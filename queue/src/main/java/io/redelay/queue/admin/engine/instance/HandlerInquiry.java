package io.redelay.queue.admin.engine.instance;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.BooleanSupplier;
import java.util.function.Function;
import java.util.function.Predicate;

import io.redelay.queue.QueueException;
import io.redelay.queue.admin.HandlerStack;
import io.redelay.queue.admin.InstanceInfo;
import io.redelay.queue.admin.InstanceListener;
import io.redelay.queue.admin.RunningHandler;
import io.redelay.queue.admin.RunningHandlers;
import io.redelay.queue.admin.engine.access.StoreCalls;
import io.redelay.queue.script.admin.AdminScripts;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.json.JsonMapper;

/**
 * Asks the instances that have announced listeners what their handlers do. One that only
 * reads asks none: a question is published.
 * <p>
 * Safe for use by many threads.
 *
 * @since 0.1.0
 */
public final class HandlerInquiry {

	/**
	 * How long the answer about one handler is waited for.
	 */
	public static final Duration LONGEST_ANSWER = Duration.ofMillis(2500);

	private static final Duration LONGEST_LIST = Duration.ofMillis(1500);

	private static final int MAX_INSTANCES = 500;

	private static final int LEAST_FOR_MEDIAN = 20;

	private static final int LEAST_FOR_P99 = 100;

	private final InstanceDirectory instances;

	private final InstanceCalls calls;

	private final JsonMapper mapper;

	private final BooleanSupplier isReading;

	/**
	 * Creates an inquiry.
	 * @param store has the channel
	 * @param instances knows which instances there are
	 * @param mapper writes questions and reads answers
	 */
	public HandlerInquiry(AdminScripts store, InstanceDirectory instances, JsonMapper mapper) {
		this.instances = instances;
		this.calls = new InstanceCalls(store::answers);
		this.isReading = () -> store.runner().isReading();
		this.mapper = mapper;
	}

	/**
	 * Lists handlers.
	 * @param queue their queue, or {@code null} for all queues
	 * @param lines whether their threads and the lines of their code are wanted
	 * @return the handlers of the instances that answered
	 */
	public RunningHandlers list(@Nullable String queue, boolean lines) {
		return list(queue, null, lines, LONGEST_LIST);
	}

	private RunningHandlers list(@Nullable String queue, @Nullable String id, boolean lines, Duration longest) {
		Answers answers = ask(HandlerQuestion.LIST, queue, id, null, lines, longest, (text) -> false);
		List<RunningHandler> handlers = new ArrayList<>();
		Map<String, Map<Integer, Integer>> times = new HashMap<>();
		int omitted = 0;
		for (Map.Entry<String, HandlerAnswer> given : answers.given().entrySet()) {
			HandlerAnswer answer = given.getValue();
			if (answer.handlers() != null) {
				answer.handlers()
					.stream()
					.filter((handler) -> handler.instance().equals(given.getKey())
							&& (queue == null || queue.equals(handler.queue())))
					.forEach(handlers::add);
			}
			omitted += answer.omitted();
			for (HandlerAnswer.Times each : (answer.times() != null) ? answer.times()
					: List.<HandlerAnswer.Times>of()) {
				Map<Integer, Integer> counts = times.computeIfAbsent(type(each.queue(), each.payloadType()),
						(type) -> new TreeMap<>());
				each.counts().forEach((place, count) -> counts.merge(place, count, Integer::sum));
			}
		}
		return new RunningHandlers(handlers.stream()
			.sorted(Comparator.comparing(RunningHandler::running).reversed().thenComparing(RunningHandler::uid))
			.map((handler) -> withTimes(handler,
					times.getOrDefault(type(handler.queue(), handler.payloadType()), Map.of())))
			.toList(), omitted, List.copyOf(answers.given().keySet()), answers.silent());
	}

	private static String type(String queue, @Nullable String payloadType) {
		return queue + " " + ((payloadType != null) ? payloadType : "");
	}

	/**
	 * A batch takes as long as all of its messages, and times are counted for each.
	 */
	private static RunningHandler withTimes(RunningHandler each, Map<Integer, Integer> counts) {
		boolean known = !each.batch();
		return new RunningHandler(each.queue(), each.id(), each.uid(), each.claim(), each.attempt(), each.maxAttempts(),
				each.payloadType(), each.dueAt(), each.listener(), each.instance(), each.instanceName(), each.since(),
				each.running(), each.state(), each.thread(), each.line(), each.batch(), each.messages(),
				each.cancelled(), each.acknowledged(), each.progress(),
				known ? HandlingTimes.quantile(counts, 0.5, LEAST_FOR_MEDIAN) : null,
				known ? HandlingTimes.quantile(counts, 0.99, LEAST_FOR_P99) : null);
	}

	/**
	 * Finds the handler of a message that began last: an instance that has lost the
	 * message may still work on it.
	 * @param queue the queue
	 * @param id the id or uid of the message
	 * @return the handler, if one has the message
	 */
	public Found<RunningHandler> present(String queue, String id) {
		RunningHandlers running = list(queue, id, false, LONGEST_ANSWER);
		return new Found<>(running.handlers()
			.stream()
			.max(Comparator.comparing((RunningHandler handler) -> handler.uid().equals(id))
				.thenComparing(RunningHandler::since))
			.orElse(null), running.silent());
	}

	/**
	 * Finds where the code of a handler is.
	 * @param queue the queue
	 * @param id the id or uid of its message
	 * @param claim the number of the claim
	 * @return the stack, if a handler has the message
	 */
	public Found<HandlerStack> stack(String queue, String id, long claim) {
		return find(HandlerQuestion.STACK, queue, id, claim, HandlerAnswer::stack, (stack) -> true);
	}

	/**
	 * Interrupts a handler.
	 * @param queue the queue
	 * @param id the id or uid of its message
	 * @param claim the number of the claim
	 * @return whether it was interrupted, if a handler has the message
	 */
	public Found<Boolean> interrupt(String queue, String id, long claim) {
		return find(HandlerQuestion.INTERRUPT, queue, id, claim, HandlerAnswer::interrupted, Boolean::booleanValue);
	}

	/**
	 * Returns the best value if there is one, else any.
	 */
	private <T> Found<T> find(String kind, String queue, String id, long claim,
			Function<HandlerAnswer, @Nullable T> part, Predicate<T> isBest) {
		if (this.isReading.getAsBoolean()) {
			throw new QueueException(
					"No instance was asked for the handler of the message '" + id + "', as this one only reads");
		}
		Answers answers = ask(kind, queue, id, claim, true, LONGEST_ANSWER, (text) -> {
			HandlerAnswer answer = HandlerAnswer.read(this.mapper, text);
			T value = (answer != null) ? part.apply(answer) : null;
			return value != null && isBest.test(value);
		});
		T found = null;
		for (HandlerAnswer answer : answers.given().values()) {
			T value = part.apply(answer);
			if (value != null && (found == null || isBest.test(value))) {
				found = value;
			}
		}
		return new Found<>(found, (found != null) ? List.of() : answers.silent());
	}

	private Answers ask(String kind, @Nullable String queue, @Nullable String id, @Nullable Long claim, boolean lines,
			Duration longest, Predicate<String> isEnough) {
		InstanceDirectory.Announced announced = StoreCalls.await(this.instances.askAll());
		HandlerQuestion question = new HandlerQuestion(kind, queue, id, claim, lines,
				announced.asked().plus(longest).toEpochMilli());
		List<InstanceInfo> meant = announced.believed()
			.stream()
			.filter((instance) -> listensTo(instance, queue))
			.toList();
		List<String> asked = meant.stream()
			.map(InstanceInfo::instance)
			.filter(announced.answering()::contains)
			.limit(MAX_INSTANCES)
			.toList();
		if (this.isReading.getAsBoolean()) {
			return new Answers(Map.of(), meant);
		}
		Map<String, String> texts = this.calls.ask(asked, this.mapper.writeValueAsString(question), longest, isEnough);
		Map<String, HandlerAnswer> given = new TreeMap<>();
		texts.forEach((instance, text) -> {
			HandlerAnswer answer = HandlerAnswer.read(this.mapper, text);
			if (answer != null) {
				given.put(instance, answer);
			}
		});
		return new Answers(given,
				meant.stream().filter((instance) -> !given.containsKey(instance.instance())).toList());
	}

	/**
	 * An instance hears questions as long as one of its listeners has not stopped.
	 */
	private static boolean listensTo(InstanceInfo instance, @Nullable String queue) {
		boolean hears = instance.listeners()
			.stream()
			.anyMatch((listener) -> listener.state() != InstanceListener.State.STOPPED);
		return hears && (queue == null || InstanceDirectory.listened(List.of(instance))
			.anyMatch((listened) -> listened.queue().equals(queue)));
	}

	/**
	 * What was found.
	 *
	 * @param <T> its type
	 * @param value what an instance said, or {@code null} if none of those that answered
	 * has the message
	 * @param silent the instances that did not answer, if nothing was found
	 */
	public record Found<T>(@Nullable T value, List<InstanceInfo> silent) {

	}

	/**
	 * The answers of instances.
	 *
	 * @param given the answers, by the name of the instance
	 * @param silent the instances that gave none
	 */
	private record Answers(Map<String, HandlerAnswer> given, List<InstanceInfo> silent) {

	}

}
