package io.redelay.samples.shop.order;

import java.math.BigDecimal;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;

import org.junit.jupiter.api.Test;

import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.data.jdbc.test.autoconfigure.DataJdbcTest;
import org.springframework.data.jdbc.core.JdbcAggregateOperations;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link OrderRepository}.
 */
@DataJdbcTest
class OrderRepositoryTests {

	private final Instant now = Instant.now().truncatedTo(ChronoUnit.MILLIS);

	@Autowired
	private OrderRepository orders;

	@Autowired
	private JdbcAggregateOperations aggregates;

	@Test
	void findsWhatWasInserted() {
		ShopOrder order = insert(Duration.ofMinutes(30));
		assertThat(this.orders.findById(order.id())).hasValue(order);
	}

	@Test
	void paysPendingOrderOnce() {
		String id = insert(Duration.ofMinutes(30)).id();
		assertThat(this.orders.pay(id, this.now)).isTrue();
		assertThat(this.orders.pay(id, this.now.plusSeconds(1))).isFalse();
		assertThat(this.orders.findById(id)).hasValueSatisfying((order) -> {
			assertThat(order.status()).isEqualTo(ShopOrder.Status.PAID);
			assertThat(order.paidAt()).isEqualTo(this.now);
		});
	}

	@Test
	void notesThatTheCustomerWasReminded() {
		String id = insert(Duration.ofMinutes(30)).id();
		this.orders.reminded(id, this.now);
		assertThat(this.orders.findById(id)).get().extracting(ShopOrder::remindedAt).isEqualTo(this.now);
	}

	@Test
	void doesNotCancelPaidOrder() {
		String id = insert(Duration.ofMinutes(30)).id();
		this.orders.pay(id, this.now);
		assertThat(this.orders.cancel(id, this.now)).isFalse();
		assertThat(this.orders.findById(id)).get().extracting(ShopOrder::status).isEqualTo(ShopOrder.Status.PAID);
	}

	@Test
	void doesNotPayCancelledOrder() {
		String id = insert(Duration.ofMinutes(30)).id();
		assertThat(this.orders.cancel(id, this.now)).isTrue();
		assertThat(this.orders.pay(id, this.now)).isFalse();
		assertThat(this.orders.findById(id)).hasValueSatisfying((order) -> {
			assertThat(order.status()).isEqualTo(ShopOrder.Status.CANCELLED);
			assertThat(order.cancelledAt()).isEqualTo(this.now);
			assertThat(order.paidAt()).isNull();
		});
	}

	@Test
	void findsPendingOrdersWhoseTimeIsUp() {
		String overdue = insert(Duration.ofSeconds(1)).id();
		insert(Duration.ofSeconds(3));
		String paid = insert(Duration.ofSeconds(1)).id();
		this.orders.pay(paid, this.now);
		assertThat(this.orders.findPendingPayBy(this.now.plusSeconds(2))).containsExactly(overdue);
	}

	private ShopOrder insert(Duration payWithin) {
		PlaceOrder request = new PlaceOrder("book", new BigDecimal("42.50"), payWithin, null);
		return this.aggregates.insert(ShopOrder.of(request, this.now));
	}

}
