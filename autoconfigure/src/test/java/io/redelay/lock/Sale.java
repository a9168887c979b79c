package io.redelay.lock;

import org.redisson.api.RBucket;
import org.redisson.api.RedissonClient;

/**
 * Counts in Redis, by reading and then writing: wrongly, if two do so at a time.
 */
final class Sale {

	private final RBucket<String> sold;

	Sale(RedissonClient client, String name) {
		this.sold = client.getBucket("sale:" + name);
	}

	void sell() {
		this.sold.set(Integer.toString(sold() + 1));
	}

	int sold() {
		String sold = this.sold.get();
		return (sold != null) ? Integer.parseInt(sold) : 0;
	}

}
