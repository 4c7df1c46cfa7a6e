-- A call that goes out is counted by a keyed digest of its number, which nothing of a person leads to: an erasure cannot
-- find it, and the row has to say so.
update private.personal_data
   set holds = 'Keyed digests of numbers that were called', found_by = null, on_erasure = 'kept',
       kept = 'Two days'
 where table_name = 'private.voice_dials';
