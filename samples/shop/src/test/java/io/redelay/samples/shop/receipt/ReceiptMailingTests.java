package io.redelay.samples.shop.receipt;

import java.time.Instant;
import java.util.UUID;

import io.redelay.queue.QueueOperations;
import io.redelay.queue.work.DeliveryInfo;
import io.redelay.samples.shop.mail.MailFailedException;
import io.redelay.samples.shop.mail.Mailer;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.data.jdbc.test.autoconfigure.DataJdbcTest;
import org.springframework.context.annotation.Import;
import org.springframework.data.jdbc.core.JdbcAggregateOperations;
import org.springframework.test.context.bean.override.mockito.MockitoBean;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.mockito.ArgumentMatchers.any;
import static org.mockito.ArgumentMatchers.eq;
import static org.mockito.BDDMockito.then;
import static org.mockito.BDDMockito.willDoNothing;
import static org.mockito.BDDMockito.willThrow;
import static org.mockito.Mockito.times;

/**
 * Tests for {@link ReceiptMailing}.
 */
@DataJdbcTest(properties = "shop.receipts.max-attempts=3")
@Import(ReceiptMailing.class)
@MockitoBean(types = QueueOperations.class)
class ReceiptMailingTests {

	private final String orderId = UUID.randomUUID().toString();

	@Autowired
	private ReceiptMailing mailing;

	@Autowired
	private ReceiptRepository receipts;

	@Autowired
	private JdbcAggregateOperations aggregates;

	@MockitoBean
	private Mailer mailer;

	@BeforeEach
	void insertReceipt() {
		this.aggregates.insert(Receipt.of(this.orderId, "amy@example.com", Instant.now()));
	}

	@Test
	void mailsReceiptOnce() {
		mail(1);
		mail(1);
		then(this.mailer).should(times(1)).send(eq("amy@example.com"), any());
		assertThat(receipt().status()).isEqualTo(Receipt.Status.SENT);
		assertThat(receipt().sentAt()).isNotNull();
	}

	@Test
	void notesFailureAndThrowsItOn() {
		fail(1);
		fail(2);
		assertThat(receipt().status()).isEqualTo(Receipt.Status.PENDING);
		assertThat(receipt().failures()).isEqualTo(2);
		assertThat(receipt().reason()).isEqualTo("No such host");
	}

	@Test
	void notesThatLastAttemptFailed() {
		fail(3);
		assertThat(this.receipts.findByStatusOrderByCreatedAt(Receipt.Status.DEAD)).containsExactly(receipt());
	}

	@Test
	void showsNoReasonOnceTheReceiptIsSent() {
		fail(1);
		willDoNothing().given(this.mailer).send(any(), any());
		mail(2);
		assertThat(receipt().status()).isEqualTo(Receipt.Status.SENT);
		assertThat(receipt().failures()).isOne();
		assertThat(receipt().reason()).isNull();
	}

	@Test
	void doesNothingForUnknownOrder() {
		this.mailing.mail(new ReceiptMailing.MailReceipt("7"), delivery(1));
		then(this.mailer).shouldHaveNoInteractions();
	}

	private void fail(int attempt) {
		willThrow(new MailFailedException("No such host")).given(this.mailer).send(any(), any());
		assertThatExceptionOfType(MailFailedException.class).isThrownBy(() -> mail(attempt));
	}

	private void mail(int attempt) {
		this.mailing.mail(new ReceiptMailing.MailReceipt(this.orderId), delivery(attempt));
	}

	private Receipt receipt() {
		return this.receipts.findById(this.orderId).orElseThrow();
	}

	private DeliveryInfo delivery(int attempt) {
		Instant now = Instant.now();
		return new DeliveryInfo(ReceiptMailing.QUEUE, this.orderId, "u1", attempt, attempt - 1, 0, now, now);
	}

}
