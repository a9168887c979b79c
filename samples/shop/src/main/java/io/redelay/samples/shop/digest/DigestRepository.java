package io.redelay.samples.shop.digest;

import java.util.List;

import org.springframework.data.repository.Repository;

/**
 * The mails with news that were sent.
 */
interface DigestRepository extends Repository<Digest, String> {

	List<Digest> findByEmailOrderBySentAt(String email);

}
