package io.redelay.docs;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

// tag::lock-imports[]
import io.redelay.lock.MyLock;
// end::lock-imports[]
// tag::capacity-imports[]
import io.redelay.queue.QueueListener;
// end::capacity-imports[]
import io.redelay.queue.QueueOperations;
// tag::client-imports[]
import io.redelay.redisson.ClosedConnectionHook;
import io.redelay.redisson.RedissonConfigCustomizer;
import org.redisson.Redisson;
import org.redisson.api.RedissonClient;
import org.redisson.config.Config;
// end::client-imports[]

import org.springframework.context.annotation.Bean;

/**
 * The code of the chapters "Locks", "The Redis client" and "Capacity".
 */
class ClientsAndLocks {

	// tag::customizer[]
	@Bean
	RedissonConfigCustomizer lockWatchdog() {
		return (config) -> config.setLockWatchdogTimeout(10_000);
	}
	// end::customizer[]

	static RedissonClient ownClient(String address) {
		// tag::own-client[]
		Config config = new Config();
		config.useSingleServer().setAddress(address);
		ClosedConnectionHook.install(config); // keeps a NettyHook that is set already
		return Redisson.create(config);
		// end::own-client[]
	}

	static class Coupons {

		private final List<Long> users = new CopyOnWriteArrayList<>();

		// tag::lock[]
		@MyLock(name = "coupon:#{id}")
		public void claim(String id, long userId) {
			this.users.add(userId); // one at a time for each coupon
		}
		// end::lock[]

		List<Long> users() {
			return this.users;
		}

	}

	static class Partitions {

		final List<Order> handled = new CopyOnWriteArrayList<>();

		private final QueueOperations queues;

		Partitions(QueueOperations queues) {
			this.queues = queues;
		}

		// tag::partitions[]
		void place(Order order) {
			this.queues.send("orders-" + Math.floorMod(order.id().hashCode(), 4), order);
		}

		@QueueListener({ "orders-0", "orders-1", "orders-2", "orders-3" })
		void handle(Order order) {
			this.handled.add(order);
		}
		// end::partitions[]

		record Order(String id) {

		}

	}

}
