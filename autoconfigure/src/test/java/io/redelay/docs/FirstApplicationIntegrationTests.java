package io.redelay.docs;

import java.time.Duration;
import java.util.UUID;

import com.example.shop.ShopApplication;
import io.redelay.test.TestRedis;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.RegisterExtension;

import org.springframework.boot.SpringApplication;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.ConfigurableApplicationContext;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The first application of the guide, parts of which are in the README, runs as it stands
 * there.
 */
@ExtendWith(OutputCaptureExtension.class)
class FirstApplicationIntegrationTests {

	@RegisterExtension
	static final TestRedis redis = TestRedis.shared();

	@Test
	void sendsAndHandles(CapturedOutput output) {
		try (ConfigurableApplicationContext context = SpringApplication.run(ShopApplication.class,
				"--spring.data.redis.url=" + redis.uri(), "--redelay.queue.key-prefix=first-" + UUID.randomUUID())) {
			assertThat(context.isRunning()).isTrue();
			Awaitility.await()
				.atMost(Duration.ofMinutes(1))
				.untilAsserted(() -> assertThat(output).contains("Nobody paid order-7 in time"));
		}
	}

}
