package io.redelay.migration;

// tag::drain[]
import io.redelay.lock.MyLock;
import io.redelay.lock.MyLockStrategy;
import io.redelay.migration.DelayedQueueDrain;
import io.redelay.queue.OutboundMessage;
import io.redelay.queue.QueueOperations;
import org.redisson.api.RQueue;
import org.redisson.api.RedissonClient;

import org.springframework.scheduling.annotation.EnableScheduling;
import org.springframework.scheduling.annotation.Scheduled;
import org.springframework.stereotype.Component;

@Component
@EnableScheduling
class OldOrders {

	private final DelayedQueueDrain<String> drain;

	OldOrders(RedissonClient redisson, QueueOperations queues) {
		RQueue<String> orders = redisson.getBlockingQueue("orders"); // <1>
		this.drain = new DelayedQueueDrain<>(redisson, orders, queues,
				(orderId) -> OutboundMessage.to("payment-timeout", new TimeIsUp(orderId))); // <2>
	}

	@Scheduled(fixedDelay = 500)
	@MyLock(name = "old-orders", lockStrategy = MyLockStrategy.SKIP_FAST) // <3>
	public void move() {
		this.drain.drain();
	}

}
// end::drain[]
