package io.redelay.queue.admin.engine;

import java.time.Duration;
import java.time.Instant;
import java.util.Comparator;
import java.util.Objects;
import java.util.Optional;

import io.redelay.queue.admin.engine.access.CommandSender;
import io.redelay.queue.admin.engine.access.ExistingQueues;
import io.redelay.queue.admin.engine.access.KnownPartitions;
import io.redelay.queue.admin.engine.access.StoreCalls;
import io.redelay.queue.limits.DueTime;
import io.redelay.queue.limits.KeyName;
import io.redelay.queue.listener.QueueGates;
import io.redelay.queue.partition.QueuePartitions;
import io.redelay.queue.script.admin.AdminScripts;
import io.redelay.queue.script.admin.CountScript;

import org.springframework.util.Assert;

/**
 * Closes and opens gates through a {@link AdminScripts}.
 *
 * @since 0.1.0
 */
public class QueueGateTemplate implements QueueGates {

	private static final String WHOLE_QUEUE = "";

	private final CountScript count;

	private final ExistingQueues known;

	private final KnownPartitions partitions;

	private final CommandSender commands;

	/**
	 * Creates a template.
	 * @param scripts the store
	 * @param partitions how many partitions queues have
	 */
	public QueueGateTemplate(AdminScripts scripts, QueuePartitions partitions) {
		this.count = scripts.count();
		this.known = new ExistingQueues(scripts);
		this.partitions = new KnownPartitions(partitions);
		this.commands = new CommandSender(scripts);
	}

	@Override
	public void close(String queue, Duration duration) {
		checkDuration(duration);
		set(queue, WHOLE_QUEUE, duration);
	}

	@Override
	public void close(String queue, String fairnessKey, Duration duration) {
		checkKey(fairnessKey);
		checkDuration(duration);
		set(queue, fairnessKey, duration);
	}

	@Override
	public void open(String queue) {
		set(queue, WHOLE_QUEUE, Duration.ZERO);
	}

	@Override
	public void open(String queue, String fairnessKey) {
		checkKey(fairnessKey);
		set(queue, fairnessKey, Duration.ZERO);
	}

	@Override
	public Optional<Instant> closedUntil(String queue) {
		this.known.check(queue);
		return this.partitions.of(queue)
			.stream()
			.map((partition) -> StoreCalls.await(this.count.run(partition)).status().gatedUntil())
			.filter(Objects::nonNull)
			.max(Comparator.naturalOrder());
	}

	private void set(String queue, String key, Duration duration) {
		this.known.check(queue);
		this.partitions.of(queue).forEach((partition) -> this.commands.setGate(partition, key, duration));
	}

	private static void checkKey(String fairnessKey) {
		String problem = KeyName.problem(fairnessKey);
		Assert.isTrue(problem == null, () -> "'fairnessKey' " + problem);
	}

	private static void checkDuration(Duration duration) {
		Assert.isTrue(DueTime.isPossible(duration) && !duration.isZero(),
				() -> "'duration' must be more than 0 and at most 3650 days: " + duration);
	}

}
