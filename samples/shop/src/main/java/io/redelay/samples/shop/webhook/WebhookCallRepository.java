package io.redelay.samples.shop.webhook;

import java.util.List;

import org.springframework.data.repository.Repository;

/**
 * The calls of merchants' servers.
 */
interface WebhookCallRepository extends Repository<WebhookCall, String> {

	boolean existsById(String paymentId);

	List<WebhookCall> findByMerchantOrderByCalledAt(String merchant);

}
