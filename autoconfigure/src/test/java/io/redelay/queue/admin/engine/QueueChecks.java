package io.redelay.queue.admin.engine;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.ScheduledExecutorService;

import io.redelay.queue.admin.QueueCheck;
import io.redelay.queue.request.ReplayMemory;
import io.redelay.queue.script.admin.AdminScripts;
import io.redelay.queue.wire.RedisAvailability;
import org.redisson.api.RedissonClient;

/**
 * Checks queues without an application.
 */
public final class QueueChecks {

	private final QueueChecker checker;

	/**
	 * Checks queues on a Redis.
	 * @param redisson a client of it
	 * @param timer when to send requests again
	 */
	public QueueChecks(RedissonClient redisson, ScheduledExecutorService timer) {
		this(new AdminScripts(redisson, "redelay", Duration.ofSeconds(30), timer, ReplayMemory.NONE,
				new RedisAvailability(timer)));
	}

	/**
	 * Checks queues by scripts.
	 */
	public QueueChecks(AdminScripts scripts) {
		this.checker = new QueueChecker(scripts);
	}

	/**
	 * Checks a queue of the store: a partition or a group.
	 * @param queue its name
	 * @return what was found
	 */
	public QueueCheck check(String queue) {
		return this.checker.check(queue, List.of(queue));
	}

}
