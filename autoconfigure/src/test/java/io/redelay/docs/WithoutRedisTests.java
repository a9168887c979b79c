package io.redelay.docs;

// tag::test[]
import java.time.Duration;

import io.redelay.queue.QueueOperations;
import org.junit.jupiter.api.Test;
// end::test[]
import org.redisson.api.RedissonClient;

// tag::test[]
import org.springframework.beans.factory.annotation.Autowired;
// end::test[]
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
// tag::test[]
import org.springframework.boot.test.context.SpringBootTest;
// end::test[]
import org.springframework.context.ApplicationContext;
import org.springframework.context.annotation.Import;
import org.springframework.test.annotation.DirtiesContext;
// tag::test[]
import org.springframework.test.context.bean.override.mockito.MockitoBean;

// end::test[]
import static org.assertj.core.api.Assertions.assertThat;
// tag::test[]
import static org.mockito.BDDMockito.then;

// end::test[]
@DirtiesContext
// tag::test[]
@SpringBootTest(properties = { "redelay.queue.enabled=false", "redelay.lock.enabled=false",
		"redelay.embedded-redis.enabled=false",
		"spring.autoconfigure.exclude=io.redelay.autoconfigure.RedissonAutoConfiguration" })
class WithoutRedisTests {

	@MockitoBean
	private QueueOperations queues;

	@Test
	void applicationStarts(@Autowired PaymentTimeout timeout) {
		timeout.start("7");
		then(this.queues).should().send("payment-timeout", new PaymentTimeout.TimeIsUp("7"), Duration.ofMinutes(30));
	}
	// end::test[]

	@Test
	void thereIsNoClient(@Autowired ApplicationContext context) {
		assertThat(context.getBeansOfType(RedissonClient.class)).isEmpty();
	}

	@SpringBootConfiguration
	@EnableAutoConfiguration
	@Import({ PaymentTimeout.class, Orders.class })
	static class Application {

	}
	// tag::test[]

}
// end::test[]
