package io.redelay.samples.shop.digest;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.stream.Collectors;

import io.redelay.queue.Deduplication;
import io.redelay.queue.OutboundMessage;
import io.redelay.queue.QueueListener;
import io.redelay.queue.QueueOperations;
import io.redelay.samples.shop.mail.Mailer;

import org.springframework.beans.factory.annotation.Value;
import org.springframework.data.jdbc.core.JdbcAggregateOperations;
import org.springframework.stereotype.Service;

/**
 * Mails news to customers, all that comes within some time in one mail.
 */
@Service
class DigestMailing {

	static final String QUEUE = "digests";

	private final QueueOperations queues;

	private final Mailer mailer;

	private final JdbcAggregateOperations aggregates;

	private final DigestRepository digests;

	private final Duration maxWait;

	private final int maxCount;

	DigestMailing(QueueOperations queues, Mailer mailer, JdbcAggregateOperations aggregates, DigestRepository digests,
			@Value("${shop.digests.max-wait}") Duration maxWait, @Value("${shop.digests.max-count}") int maxCount) {
		this.queues = queues;
		this.mailer = mailer;
		this.aggregates = aggregates;
		this.digests = digests;
		this.maxWait = maxWait;
		this.maxCount = maxCount;
	}

	/**
	 * Joins the news that wait for the same customer. They are mailed when the first of
	 * them has waited long enough, or at once when there are enough.
	 */
	void add(String email, News news) {
		this.queues.send(OutboundMessage.to(QUEUE, new MailNews(email, news.text()))
			.deduplicate(Deduplication.aggregate(email, this.maxWait, this.maxCount)));
	}

	/**
	 * All are of one customer. They are mailed again, together, if that fails.
	 */
	@QueueListener(QUEUE)
	void mail(List<MailNews> news) {
		String email = news.get(0).email();
		this.mailer.send(email, news.stream().map(MailNews::text).collect(Collectors.joining("; ")));
		this.aggregates.insert(Digest.of(email, news.size(), Instant.now()));
	}

	List<Digest> find(String email) {
		return this.digests.findByEmailOrderBySentAt(email);
	}

	/**
	 * Asks for a piece of news to be mailed.
	 */
	record MailNews(String email, String text) {

	}

}
