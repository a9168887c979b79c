package io.redelay.queue.claim;

import java.time.Duration;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Supplier;

import io.redelay.log.PlainLog;
import io.redelay.queue.handle.ContainerSettings;
import io.redelay.queue.handle.Delivery;
import io.redelay.scheduling.ScheduledTask;
import io.redelay.scheduling.Scheduler;
import org.apache.commons.logging.Log;
import org.jspecify.annotations.Nullable;

/**
 * Logs messages that a container holds although no thread handles them and no future is
 * awaited: its executor lost them, or the container did. Such a message is held for as
 * long as the instance lives.
 */
final class StrandedMessageDetector {

	private static final Log logger = PlainLog.of(StrandedMessageDetector.class);

	private final String listener;

	private final Supplier<List<PollLoop>> loops;

	private final Scheduler scheduler;

	private final Duration interval;

	private Set<Delivery> seen = new HashSet<>();

	private final Set<Delivery> reported = new HashSet<>();

	private @Nullable ScheduledTask regular;

	StrandedMessageDetector(ContainerSettings settings, Supplier<List<PollLoop>> loops, Scheduler scheduler) {
		this.listener = settings.id();
		this.loops = loops;
		this.scheduler = scheduler;
		this.interval = settings.queues()
			.values()
			.stream()
			.map(ContainerSettings.QueueSettings::leaseTime)
			.min(Comparator.naturalOrder())
			.orElseThrow();
	}

	void start() {
		this.regular = this.scheduler.repeat(this::look, this.interval, this.interval);
	}

	void stop() {
		if (this.regular != null) {
			this.regular.cancel();
		}
	}

	/**
	 * Logs messages that no thread had in two looks in a row: these are not merely passed
	 * from one thread to another.
	 */
	private void look() {
		Set<Delivery> stranded = new HashSet<>();
		this.loops.get().forEach((loop) -> stranded.addAll(loop.deliveries().unattended()));
		this.reported.retainAll(stranded);
		stranded.stream().filter(this.seen::contains).filter(this.reported::add).forEach(this::report);
		this.seen = stranded;
	}

	private void report(Delivery delivery) {
		logger.error("The " + delivery + " is held by the listener '" + this.listener
				+ "', but no thread handles it and no future is awaited; it comes back when this instance ends."
				+ " See what became of the executor of handlers");
	}

}
