package io.redelay.queue.recurring.engine;

import java.time.Instant;
import java.util.List;
import java.util.concurrent.Executor;

import io.redelay.log.PlainLog;
import io.redelay.queue.recurring.RecurringEvent;
import io.redelay.queue.recurring.RecurringEvent.Kind;
import org.apache.commons.logging.Log;

import org.springframework.context.ApplicationEventPublisher;

/**
 * Logs what is not as planned about recurring messages, and publishes it as events of the
 * application.
 *
 * @param executor runs the listeners of events, which may block
 * @param publisher publishes the events
 * @since 0.1.0
 */
public record RecurringReporter(Executor executor, ApplicationEventPublisher publisher) {

	private static final Log logger = PlainLog.of(RecurringReporter.class);

	void report(RecurringName name, List<TickPlan.Finding> findings) {
		findings.forEach((finding) -> report(name, finding.kind(), finding.tick(), finding.count()));
	}

	void report(RecurringName name, Kind kind, long tick, int count) {
		Instant time = Instant.ofEpochMilli(tick);
		if (kind == Kind.OVERLAP_QUEUED || kind == Kind.OVERLAP_SIDE_BY_SIDE || kind == Kind.REPLACED
				|| kind == Kind.PUT_BACK || kind == Kind.ENDED) {
			logger.info(words(name, kind, time, count));
		}
		else {
			logger.warn(words(name, kind, time, count));
		}
		RecurringEvent event = new RecurringEvent(name.queue(), name.name(), kind, time, count);
		try {
			this.executor.execute(() -> publish(event));
		}
		catch (RuntimeException | Error ex) {
			logger.warn("Only this log reports the " + name, ex);
		}
	}

	private static String words(RecurringName name, Kind kind, Instant tick, int count) {
		String of = "The " + name;
		return switch (kind) {
			case LATE -> of + ": the tick of " + tick + " runs, but it was claimed late";
			case MISSING ->
				of + ": no listener has claimed the tick of " + tick + ". See whether one consumes from the queue";
			case PUT_BACK -> of + ": the message of the tick of " + tick
					+ " was removed. It is put back, or the next one if it was due";
			case MISSED -> of + ": " + count + " tick(s) were missed and are left out, the first one of " + tick;
			case OVERLAP_SKIPPED -> of + ": " + count + " tick(s) are left out, the first one of " + tick
					+ ", because an earlier run had not ended";
			case OVERLAP_QUEUED -> of + ": the tick of " + tick + " runs late, because an earlier run had not ended";
			case OVERLAP_SIDE_BY_SIDE -> of + ": the tick of " + tick + " runs beside an earlier run";
			case ENDED -> of + " has ended: it has no tick any more"
					+ (tick.equals(Instant.EPOCH) ? "" : ", and its last one was " + tick)
					+ ". Declare it otherwise, or remove it and declare it again, to have it go on";
			case DROPPED -> of + " has ended: no living instance declares it";
			case DELETED ->
				of + " was removed with its queue, which was deleted. What still declares it declares it again";
			case REPLACED -> of + " is declared otherwise than before: from now on, this declaration holds";
		};
	}

	private void publish(RecurringEvent event) {
		try {
			this.publisher.publishEvent(event);
		}
		catch (Throwable ex) {
			logger.warn("A listener to RecurringEvent failed, which changes nothing for the recurring message '"
					+ event.name() + "' of the queue '" + event.queue() + "'", ex);
		}
	}

}
