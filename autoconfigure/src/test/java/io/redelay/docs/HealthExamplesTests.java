package io.redelay.docs;

import java.io.IOException;
import java.io.UncheckedIOException;

import io.redelay.queue.actuate.RedisHealthIndicator;
import org.junit.jupiter.api.Test;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.env.YamlPropertySourceLoader;
import org.springframework.boot.health.actuate.endpoint.HealthEndpointGroup;
import org.springframework.boot.health.actuate.endpoint.HealthEndpointGroups;
import org.springframework.boot.health.autoconfigure.actuate.endpoint.HealthEndpointAutoConfiguration;
import org.springframework.boot.health.autoconfigure.contributor.HealthContributorAutoConfiguration;
import org.springframework.boot.health.autoconfigure.registry.HealthContributorRegistryAutoConfiguration;
import org.springframework.boot.health.contributor.Status;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.core.io.FileSystemResource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests of the examples on health in the chapter "Observability".
 */
class HealthExamplesTests {

	@Test
	void aProbeOfTheWholeFailsWhenRedisIsDegradedAndStillWhenSomethingIsDown() {
		application("health-status.yaml").run((context) -> {
			HealthEndpointGroup whole = context.getBean(HealthEndpointGroups.class).getPrimary();
			assertThat(whole.getStatusAggregator().getAggregateStatus(Status.UP, RedisHealthIndicator.DEGRADED))
				.isEqualTo(RedisHealthIndicator.DEGRADED);
			assertThat(whole.getStatusAggregator().getAggregateStatus(Status.DOWN, RedisHealthIndicator.DEGRADED))
				.isEqualTo(Status.DOWN);
			for (Status status : new Status[] { RedisHealthIndicator.DEGRADED, Status.DOWN, Status.OUT_OF_SERVICE }) {
				assertThat(whole.getHttpCodeStatusMapper().getStatusCode(status)).as(status.getCode()).isEqualTo(503);
			}
			assertThat(whole.getHttpCodeStatusMapper().getStatusCode(Status.UP)).isEqualTo(200);
		});
	}

	@Test
	void withoutAChoiceBothAreLeftToBoot() {
		application("health-groups.yaml").run((context) -> {
			HealthEndpointGroup whole = context.getBean(HealthEndpointGroups.class).getPrimary();
			assertThat(whole.getStatusAggregator().getAggregateStatus(Status.UP, RedisHealthIndicator.DEGRADED))
				.isEqualTo(Status.UP);
			assertThat(whole.getHttpCodeStatusMapper().getStatusCode(RedisHealthIndicator.DEGRADED)).isEqualTo(200);
		});
	}

	@Test
	void theGroupsHaveTheContributorsOfRedelay() {
		application("health-groups.yaml").run((context) -> {
			HealthEndpointGroups groups = context.getBean(HealthEndpointGroups.class);
			assertThat(groups.getNames()).contains("readiness", "queues");
			for (String name : new String[] { "readiness", "queues" }) {
				HealthEndpointGroup group = groups.get(name);
				assertThat(group).isNotNull();
				assertThat(group.isMember("redelayListeners")).isTrue();
				assertThat(group.isMember("redelayRedis")).isTrue();
			}
		});
	}

	private static ApplicationContextRunner application(String example) {
		return new ApplicationContextRunner()
			.withConfiguration(AutoConfigurations.of(HealthContributorRegistryAutoConfiguration.class,
					HealthContributorAutoConfiguration.class, HealthEndpointAutoConfiguration.class))
			.withPropertyValues("management.endpoint.health.validate-group-membership=false",
					"management.endpoints.jmx.exposure.include=health")
			.withInitializer((context) -> {
				try {
					new YamlPropertySourceLoader()
						.load("example", new FileSystemResource("src/test/java/io/redelay/docs/" + example))
						.forEach(context.getEnvironment().getPropertySources()::addLast);
				}
				catch (IOException ex) {
					throw new UncheckedIOException(ex);
				}
			});
	}

}
