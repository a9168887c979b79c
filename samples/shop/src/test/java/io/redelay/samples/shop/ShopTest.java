package io.redelay.samples.shop;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

import org.springframework.boot.test.context.SpringBootTest;

/**
 * A test of the whole shop, with a Redis and a database of its own.
 */
@Target(ElementType.TYPE)
@Retention(RetentionPolicy.RUNTIME)
@SpringBootTest(webEnvironment = SpringBootTest.WebEnvironment.RANDOM_PORT,
		properties = { "redelay.embedded-redis.port=0",
				"spring.datasource.url=jdbc:h2:mem:${random.uuid};DB_CLOSE_DELAY=-1;LOCK_TIMEOUT=20000",
				"shop.sweep-interval=1s", "shop.receipts.backoff=50ms", "shop.mailer.latency=1ms",
				"shop.exports.folder=target/exports", "shop.exports.page-size=1", "shop.exports.latency=1s",
				"shop.digests.max-wait=10m" })
@interface ShopTest {

}
