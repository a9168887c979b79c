package io.redelay.samples.shop;

import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import org.aopalliance.intercept.MethodInterceptor;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import org.springframework.aop.framework.ProxyFactory;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.boot.test.context.TestConfiguration;
import org.springframework.boot.test.web.server.LocalServerPort;
import org.springframework.context.annotation.Bean;
import org.springframework.test.context.TestPropertySource;

import static io.redelay.samples.shop.ShopClient.eventually;
import static org.assertj.core.api.Assertions.assertThat;

/**
 * Timelines, whose first try to write down that an order was placed fails.
 */
@ShopTest
@TestPropertySource(properties = "redelay.queue.queues.order-events.backoff.initial-interval=100ms")
class TimelineIntegrationTests {

	private ShopClient shop;

	@BeforeEach
	void connect(@LocalServerPort int port) {
		this.shop = new ShopClient(port);
	}

	@Test
	void whatHappensToTheOrdersOfACustomerIsWrittenDownInItsOrder() {
		Map<String, List<String>> happened = IntStream.range(0, 3)
			.mapToObj((i) -> UUID.randomUUID() + "@example.com")
			.collect(Collectors.toMap((customer) -> customer,
					(customer) -> IntStream.range(0, 4)
						.mapToObj((i) -> buy(customer))
						.flatMap(TimelineIntegrationTests::events)
						.toList()));
		happened.forEach(
				(customer, events) -> eventually(() -> assertThat(this.shop.timeline(customer)).isEqualTo(events)));
	}

	private String buy(String customer) {
		String id = this.shop.placeOrder(Duration.ofMinutes(30), customer);
		this.shop.pay(id);
		return id;
	}

	private static Stream<String> events(String orderId) {
		return Stream.of("PLACED " + orderId, "PAID " + orderId);
	}

	@TestConfiguration(proxyBeanMethods = false)
	static class FailingTimeline {

		@Bean
		static BeanPostProcessor failsFirst() {
			return new BeanPostProcessor() {

				@Override
				public Object postProcessAfterInitialization(Object bean, String beanName) {
					return beanName.equals("timelineRepository") ? failingFirst(bean) : bean;
				}

			};
		}

		private static Object failingFirst(Object repository) {
			Set<String> tried = ConcurrentHashMap.newKeySet();
			ProxyFactory factory = new ProxyFactory(repository);
			factory.addAdvice((MethodInterceptor) (invocation) -> {
				String what = invocation.getMethod().getName() + " " + Arrays.toString(invocation.getArguments());
				if (what.startsWith("insert ") && what.contains("PLACED") && tried.add(what)) {
					throw new IllegalStateException("thrown by a test");
				}
				return invocation.proceed();
			});
			return factory.getProxy();
		}

	}

}
