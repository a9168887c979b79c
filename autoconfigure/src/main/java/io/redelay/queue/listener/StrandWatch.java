package io.redelay.queue.listener;

import java.time.Duration;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;

import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;

/**
 * Tells of messages that a container has in hand although no thread handles them and no
 * future is awaited: its executor lost them, or the container did. Such a message is held
 * for as long as the instance lives.
 */
final class StrandWatch {

	private static final Log logger = LogFactory.getLog(StrandWatch.class);

	private final QueueListenerContainer container;

	private final List<PollLoop> loops;

	private final ScheduledExecutorService timer;

	private final Duration interval;

	private Set<Delivery> seen = new HashSet<>();

	private final Set<Delivery> told = new HashSet<>();

	private volatile boolean stopped;

	StrandWatch(QueueListenerContainer container, List<PollLoop> loops, ScheduledExecutorService timer) {
		this.container = container;
		this.loops = loops;
		this.timer = timer;
		this.interval = container.getSettings()
			.queues()
			.values()
			.stream()
			.map(ContainerSettings.QueueSettings::leaseTime)
			.min(Comparator.naturalOrder())
			.orElseThrow();
	}

	void start() {
		if (this.stopped) {
			return;
		}
		try {
			this.timer.schedule(this::look, this.interval.toNanos(), TimeUnit.NANOSECONDS);
		}
		catch (RejectedExecutionException ex) {
			// The application is closing.
		}
	}

	void stop() {
		this.stopped = true;
	}

	/**
	 * Who is in nobody's hands twice in a row is not merely on its way from one to
	 * another.
	 */
	private void look() {
		try {
			Set<Delivery> stranded = new HashSet<>();
			this.loops.forEach((loop) -> stranded.addAll(loop.inNobodysHands()));
			this.told.retainAll(stranded);
			stranded.stream().filter(this.seen::contains).filter(this.told::add).forEach(this::tell);
			this.seen = stranded;
		}
		finally {
			start();
		}
	}

	private void tell(Delivery delivery) {
		logger.error("The " + delivery + " is held by the listener '" + this.container.getId()
				+ "', but no thread handles it and no future is awaited; it comes back when this instance ends."
				+ " See what became of the executor of handlers");
	}

}
