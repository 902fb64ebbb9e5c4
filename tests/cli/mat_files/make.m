% The workspace of octave_v6.mat and octave_v7.mat; run by octave-cli in the folder where they shall be.
% conn(:, :, k): symmetric, positive definite; eeg: 40 samples of 3 channels, epochs: 20 samples of 3 channels, 2 times.
conn = zeros(3, 3, 5);
for k = 1:5
  conn(:, :, k) = diag([2 3 4] + k / 10) + 0.1 * [0 1 2; 1 0 3; 2 3 0];
end
group = {'old', 'young', 'old', 'young', 'old'};
site = int8([1 2 1 2 1]);
names = ['ab '; 'cde'; 'f  '];
s.mats = conn;
t = (1:40)';
eeg = [sin(t) cos(1.7 * t) sin(0.3 * t .^ 2)];
epochs = permute(reshape(eeg, 20, 2, 3), [1 3 2]);
trials = {'go', 'stop'};
sparse_one = sparse(eye(3));
utf = {'Gyrus frontalis', [195 169]};
utf{2} = char(utf{2});
save('-v6', 'octave_v6.mat', 'conn', 'group', 'site', 'names', 's', 'eeg', 'epochs', 'trials', 'sparse_one', 'utf');
save('-v7', 'octave_v7.mat', 'conn', 'group', 'site', 'names', 's', 'eeg', 'epochs', 'trials', 'sparse_one', 'utf');
