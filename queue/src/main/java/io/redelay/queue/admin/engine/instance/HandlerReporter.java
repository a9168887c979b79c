package io.redelay.queue.admin.engine.instance;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

import io.redelay.log.PlainLog;
import io.redelay.queue.admin.HandlerStack;
import io.redelay.queue.admin.RunningHandler;
import io.redelay.queue.claim.WakeUps;
import io.redelay.queue.handle.Delivery;
import io.redelay.queue.handle.RunningHandling;
import io.redelay.queue.work.DeliveryInfo;
import org.apache.commons.logging.Log;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.json.JsonMapper;

/**
 * Says what the handlers of this instance do, and interrupts one, when another instance
 * asks for that.
 * <p>
 * Safe for use by many threads.
 *
 * @since 0.1.0
 */
public final class HandlerReporter implements WakeUps.Reporter {

	private static final Log logger = PlainLog.of(HandlerReporter.class);

	private static final int MAX_HANDLERS = 200;

	private static final int MAX_TIMES = 100;

	private final String instance;

	private final String name;

	private final RecentWork work;

	private final JsonMapper mapper;

	/**
	 * Creates a reporter.
	 * @param instance the name of this instance in the store
	 * @param name its display name
	 * @param work knows how long handlings took
	 * @param mapper reads questions and writes answers
	 */
	public HandlerReporter(String instance, String name, RecentWork work, JsonMapper mapper) {
		this.instance = instance;
		this.name = name;
		this.work = work;
		this.mapper = mapper;
	}

	@Override
	public @Nullable String answer(String text, List<Delivery> inHand) {
		HandlerQuestion question = HandlerQuestion.read(this.mapper, text);
		if (question == null) {
			return null;
		}
		List<Running> asked = new ArrayList<>();
		for (Delivery delivery : inHand) {
			RunningHandling handling = delivery.running();
			if (handling != null && question.concerns(delivery)) {
				asked.add(new Running(delivery, handling));
			}
		}
		HandlerAnswer answer = switch (question.kind()) {
			case HandlerQuestion.LIST -> list(asked, question);
			case HandlerQuestion.STACK -> asked.isEmpty() ? HandlerAnswer.NOTHING : stack(asked.get(0));
			case HandlerQuestion.INTERRUPT ->
				asked.isEmpty() ? HandlerAnswer.NOTHING : interrupt(asked.get(0), question.until());
			default -> null;
		};
		return (answer != null) ? this.mapper.writeValueAsString(answer) : null;
	}

	private HandlerAnswer list(List<Running> running, HandlerQuestion question) {
		List<RunningHandler> longest = running.stream()
			.sorted(Comparator.comparingLong((Running each) -> each.handling().nanos()).reversed())
			.limit(MAX_HANDLERS)
			.map((each) -> describe(each, question.lines()))
			.toList();
		Set<String> queues = new HashSet<>();
		if (question.id() == null) {
			if (question.queue() != null) {
				queues.add(question.queue());
			}
			longest.forEach((handler) -> queues.add(handler.queue()));
		}
		return new HandlerAnswer(longest, running.size() - longest.size(), times(queues), null, null);
	}

	private List<HandlerAnswer.Times> times(Set<String> queues) {
		List<HandlerAnswer.Times> times = new ArrayList<>();
		for (String queue : queues) {
			for (Map.Entry<String, HandlingTimes> each : this.work.times(queue).entrySet()) {
				if (times.size() < MAX_TIMES) {
					times.add(new HandlerAnswer.Times(queue, each.getKey().isEmpty() ? null : each.getKey(),
							each.getValue().counts()));
				}
			}
		}
		return times;
	}

	private RunningHandler describe(Running running, boolean lines) {
		Delivery delivery = running.delivery();
		RunningHandling handling = running.handling();
		DeliveryInfo info = delivery.info();
		Duration time = Duration.ofNanos(Math.max(0, handling.nanos()));
		Thread thread = handling.thread();
		return new RunningHandler(info.queue(), info.id(), info.uid(), delivery.claimNumber(), info.attempt(),
				delivery.maxAttempts(), delivery.payloadType(), info.dueAt(), delivery.listener(), this.instance,
				this.name, delivery.storeTime().minus(time), time, running.state(), lines ? nameOf(thread) : null,
				lines ? HandlerFrames.line(delivery.stackTrace()) : null, handling.batch(), handling.messages(),
				delivery.isCalledOff(), delivery.isAcknowledgedFirst(), delivery.progress(), null, null);
	}

	private HandlerAnswer stack(Running running) {
		Delivery delivery = running.delivery();
		Thread thread = running.handling().thread();
		Class<?> awaited = running.handling().awaited();
		HandlerFrames frames = HandlerFrames.of(delivery.stackTrace());
		DeliveryInfo info = delivery.info();
		return HandlerAnswer.of(new HandlerStack(info.queue(), info.id(), info.uid(), delivery.claimNumber(),
				this.instance, this.name, running.state(), nameOf(thread), (thread != null) ? thread.getState() : null,
				(awaited != null) ? awaited.getName() : null, frames.frames(), frames.omitted()));
	}

	private static @Nullable String nameOf(@Nullable Thread thread) {
		return (thread != null) ? HandlerFrames.cut(thread.getName()) : null;
	}

	/**
	 * Nobody waits any more for what was asked too long ago: who asked may have decided
	 * otherwise.
	 */
	private @Nullable HandlerAnswer interrupt(Running running, long until) {
		if (running.delivery().storeTime().toEpochMilli() > until) {
			return null;
		}
		boolean interrupted = running.delivery().interruptHandler();
		if (interrupted) {
			logger.info("The handler of the " + running.delivery() + " is interrupted, for QueueAdmin was asked to");
		}
		return HandlerAnswer.of(interrupted);
	}

	/**
	 * A message, and what its handler does.
	 */
	private record Running(Delivery delivery, RunningHandling handling) {

		RunningHandler.State state() {
			if (this.handling.thread() != null) {
				return RunningHandler.State.HANDLING;
			}
			return (this.handling.awaited() != null) ? RunningHandler.State.AWAITING_RESULT
					: RunningHandler.State.AWAITING_ACKNOWLEDGMENT;
		}

	}

}
