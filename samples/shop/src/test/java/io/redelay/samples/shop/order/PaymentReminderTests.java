package io.redelay.samples.shop.order;

import java.math.BigDecimal;
import java.time.Duration;
import java.time.Instant;

import io.redelay.queue.QueueException;
import io.redelay.queue.QueueOperations;
import io.redelay.queue.admin.MessageAdmin;
import io.redelay.samples.shop.mail.MailFailedException;
import io.redelay.samples.shop.mail.Mailer;
import io.redelay.samples.shop.receipt.ReceiptService;
import io.redelay.samples.shop.timeline.Timeline;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.data.jdbc.test.autoconfigure.DataJdbcTest;
import org.springframework.context.annotation.Import;
import org.springframework.test.context.bean.override.mockito.MockitoBean;
import org.springframework.transaction.annotation.Propagation;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.transaction.support.TransactionTemplate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.mockito.ArgumentMatchers.any;
import static org.mockito.ArgumentMatchers.assertArg;
import static org.mockito.ArgumentMatchers.eq;
import static org.mockito.BDDMockito.given;
import static org.mockito.BDDMockito.then;
import static org.mockito.BDDMockito.willThrow;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.never;
import static org.mockito.Mockito.times;

/**
 * Tests for {@link PaymentReminder}.
 */
@DataJdbcTest
@Import({ PaymentReminder.class, OrderService.class })
@MockitoBean(types = { PaymentTimeout.class, ReceiptService.class, Timeline.class })
@Transactional(propagation = Propagation.NOT_SUPPORTED)
class PaymentReminderTests {

	@Autowired
	private PaymentReminder reminder;

	@Autowired
	private OrderService orders;

	@Autowired
	private OrderRepository repository;

	@Autowired
	private TransactionTemplate transactions;

	@MockitoBean
	private QueueOperations queues;

	@MockitoBean
	private MessageAdmin messages;

	@MockitoBean
	private Mailer mailer;

	@Test
	void isDueAfterHalfTheTimeToPay() {
		String id = placeOrder();
		then(this.queues).should().send(assertArg((message) -> {
			assertThat(message.queue()).isEqualTo(PaymentReminder.QUEUE);
			assertThat(message.id()).isEqualTo(id);
			assertThat(message.timing().delay()).isEqualTo(Duration.ofMinutes(15));
		}));
	}

	@Test
	void isMailedOnce() {
		String id = placeOrder();
		remind(id);
		remind(id);
		then(this.mailer).should(times(1)).send(eq("amy@example.com"), any());
		assertThat(this.orders.find(id).remindedAt()).isNotNull();
	}

	@Test
	void isNotNotedWhenItCouldNotBeMailed() {
		String id = placeOrder();
		willThrow(new MailFailedException("busy")).given(this.mailer).send(any(), any());
		assertThatExceptionOfType(MailFailedException.class).isThrownBy(() -> remind(id));
		assertThat(this.orders.find(id).remindedAt()).isNull();
	}

	@Test
	void isNotMailedForPaidOrder() {
		String id = placeOrder();
		this.orders.pay(id);
		remind(id);
		then(this.mailer).shouldHaveNoInteractions();
	}

	@Test
	void isNotMailedForCancelledOrder() {
		String id = placeOrder();
		this.repository.cancel(id, Instant.now());
		remind(id);
		then(this.mailer).shouldHaveNoInteractions();
	}

	@Test
	void isCancelledByTheFirstPayment() {
		String id = placeOrder();
		this.orders.pay(id);
		this.orders.pay(id);
		then(this.messages).should(times(1)).cancel(PaymentReminder.QUEUE, id);
	}

	@Test
	void isNotCancelledByPaymentThatIsRolledBack() {
		String id = placeOrder();
		this.transactions.executeWithoutResult((transaction) -> {
			this.orders.pay(id);
			transaction.setRollbackOnly();
		});
		assertThat(this.orders.find(id).status()).isEqualTo(ShopOrder.Status.PENDING);
		then(this.messages).should(never()).cancel(any(), any());
	}

	@Test
	void thatCannotBeCancelledDoesNotHinderPayment() {
		String id = placeOrder();
		given(this.messages.cancel(any(), any())).willThrow(new QueueException("No connection"));
		assertThat(this.orders.pay(id).status()).isEqualTo(ShopOrder.Status.PAID);
	}

	@ParameterizedTest
	@ValueSource(doubles = { -0.1, 1, Double.NaN })
	void isRefusedAtAnyOtherTime(double remindAfter) {
		assertThatIllegalArgumentException()
			.isThrownBy(() -> new PaymentReminder(mock(), mock(), mock(), mock(), remindAfter))
			.withMessageContaining("'shop.orders.remind-after'")
			.withMessageContaining(String.valueOf(remindAfter));
	}

	private String placeOrder() {
		return this.orders
			.place(new PlaceOrder("book", new BigDecimal("42.50"), Duration.ofMinutes(30), "amy@example.com"))
			.id();
	}

	private void remind(String orderId) {
		this.reminder.remind(new PaymentReminder.RemindToPay(orderId));
	}

}
