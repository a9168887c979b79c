package io.redelay.docs;

import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.ZonedDateTime;

import io.redelay.autoconfigure.QueueAutoConfiguration;
import io.redelay.autoconfigure.RedissonAutoConfiguration;
import io.redelay.queue.QueueOperations;
import org.junit.jupiter.api.Test;
import org.redisson.api.RedissonClient;
import tools.jackson.databind.json.JsonMapper;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration;
import org.springframework.boot.jackson.autoconfigure.JacksonAutoConfiguration;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.data.redis.connection.RedisConnectionFactory;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * What the guide says of times in payloads, and of applications without Lettuce, is so.
 */
class SmallPrintTests {

	private static final ZonedDateTime BERLIN = ZonedDateTime.parse("2026-07-01T09:00+02:00[Europe/Berlin]");

	private final ApplicationContextRunner runner = new ApplicationContextRunner()
		.withConfiguration(AutoConfigurations.of(JacksonAutoConfiguration.class, DataRedisAutoConfiguration.class,
				RedissonAutoConfiguration.class, QueueAutoConfiguration.class))
		.withPropertyValues("redelay.redisson.lazy-initialization=true");

	@Test
	void aZonedDateTimeKeepsItsInstantAndLosesItsZone() {
		this.runner.run((context) -> {
			Meeting received = roundTrip(context.getBean(JsonMapper.class));
			assertThat(received.start().toInstant()).isEqualTo(BERLIN.toInstant());
			assertThat(received.start().getZone().getId()).isIn("UTC", "Z");
			assertThat(received.end().getOffset().getId()).isEqualTo("Z");
		});
	}

	@Test
	void aZonedDateTimeKeepsItsZoneByTwoProperties() {
		this.runner
			.withPropertyValues("spring.jackson.datatype.datetime.write-dates-with-zone-id=true",
					"spring.jackson.datatype.datetime.adjust-dates-to-context-time-zone=false")
			.run((context) -> assertThat(roundTrip(context.getBean(JsonMapper.class)))
				.isEqualTo(new Meeting(BERLIN, BERLIN.toOffsetDateTime(), BERLIN.toInstant())));
	}

	@Test
	void queuesNeedNoLettuce() {
		this.runner.withClassLoader(new FilteredClassLoader("io.lettuce.core")).run((context) -> {
			assertThat(context).hasNotFailed();
			assertThat(context).hasSingleBean(QueueOperations.class).hasSingleBean(RedissonClient.class);
			assertThat(context).doesNotHaveBean(RedisConnectionFactory.class);
		});
		this.runner.run((context) -> assertThat(context).hasSingleBean(RedisConnectionFactory.class));
	}

	private static Meeting roundTrip(JsonMapper mapper) {
		byte[] sent = mapper.writeValueAsBytes(new Meeting(BERLIN, BERLIN.toOffsetDateTime(), BERLIN.toInstant()));
		return mapper.readValue(sent, Meeting.class);
	}

	record Meeting(ZonedDateTime start, OffsetDateTime end, Instant created) {

	}

}
